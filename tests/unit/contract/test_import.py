"""What a request path pays for importing the contract."""

import subprocess
import sys

HEAVY = (
    "numpy",
    "polars",
    "scipy",
    "sqlalchemy",
    "httpx",
    "onnxruntime",
    "ragassay.judges",
    "ragassay.metrics",
    "rich",
)


def test_the_contract_imports_nothing_that_only_a_judge_or_a_store_needs():
    code = (
        "import sys\n"
        "from ragassay.contract import Contract\n"
        "Contract.load('examples/contract/contract.toml', (), score_kind='similarity')"
        ".request('What?').filter()\n"
        f"print(sorted(set(sys.modules) & set({HEAVY!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
