# Everything a fresh machine needs is made here: a virtual environment, the locked packages, the checks.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo demo-gate test check laws bench-retrieval bench-statistics bench-compare judge-quality bench-judge bench-judge-speed bench-throughput bench-contract lock docs clean

demo: .venv/.runtime
	$(BIN)/ragassay demo

demo-gate: .venv/.runtime
	$(BIN)/ragassay demo --gate

test: .venv/.dev
	$(BIN)/pytest -n auto

check: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --project pyproject.toml
	$(BIN)/lint-imports

laws: .venv/.dev
	$(BIN)/python tests/laws/simulations.py

bench-retrieval: .venv-bench/.made
	.venv-bench/bin/python benchmarks/bench_retrieval.py $(ARGS)

bench-statistics: .venv/.dev
	$(BIN)/python benchmarks/bench_statistics.py

bench-compare: .venv/.dev
	$(BIN)/python benchmarks/bench_compare.py

judge-quality: .venv/.dev
	$(BIN)/python benchmarks/judge_quality.py $(ARGS)

bench-judge: .venv/.dev build/bench-judge/.made
	$(BIN)/python benchmarks/bench_judge.py $(ARGS)

bench-judge-speed: .venv/.dev
	$(BIN)/python benchmarks/bench_judge_speed.py

bench-contract: .venv/.dev
	$(BIN)/python benchmarks/bench_contract.py $(ARGS)

docs: .venv/.dev
	$(BIN)/python -c 'from ragassay.reports.dictionary import dictionary_page; print(dictionary_page(), end="")' > docs/metrics.md

lock: | .venv/bin/python
	$(BIN)/pip install -q 'uv>=0.9,<1'
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	  --no-header pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	  --no-header pyproject.toml --group dev -o requirements-dev.lock

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "ragassay needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/.runtime: requirements.lock pyproject.toml | .venv/bin/python
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e .
	touch $@

.venv/.dev: requirements-dev.lock .venv/.runtime
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r requirements-dev.lock
	touch $@

.venv-bench/.made: pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install -q --upgrade 'pip>=25.1'
	.venv-bench/bin/pip install -q -e . --group bench
	touch $@

bench-throughput: .venv/.dev
	$(BIN)/python benchmarks/bench_throughput.py

build/bench-judge/.made: Makefile
	for tool in ragas deepeval stub; do $(PYTHON) -m venv build/bench-judge/$$tool || exit 1; done
	build/bench-judge/ragas/bin/pip install -q 'ragas==0.4.3' 'langchain-community<0.4'
	build/bench-judge/deepeval/bin/pip install -q 'deepeval==4.3.1'
	build/bench-judge/stub/bin/pip install -q 'bpe-openai==0.1.4'
	touch $@

clean:
	rm -rf .venv .venv-bench .pytest_cache .ruff_cache .hypothesis
