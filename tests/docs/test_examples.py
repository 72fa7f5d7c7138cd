"""Every documented example runs, and every documented number is the measured one."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from ragassay.cli.main import run
from ragassay.records import ExitCode

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILES = re.compile(r"`(\w+\.(?:py|toml))`:\n+```(?:python|toml)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"`(\w+\.jsonl)`:\n+```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page, language):
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the README shows."""
    for name, content in NAMED.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert {path.name for path in tmp_path.iterdir()} == {"queries.jsonl", "answers.jsonl", "corpus.jsonl"}
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(page):
    lines = [line for block in blocks(page, "console") for line in block.splitlines() if line.startswith("$ ragassay ")]
    return [shlex.split(line.removeprefix("$ ragassay "), comments=True) for line in lines]


def test_the_readme_shows_commands():
    assert len(commands(ROOT / "README.md")) >= 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_runs(page, desk, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for name, content in FILES.findall(page.read_text(encoding="utf-8")):
        (desk / name).write_text(content, encoding="utf-8")
    for arguments in commands(page):
        assert run(arguments) is ExitCode.PASSED, arguments
    capsys.readouterr()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_example_runs(page, desk, capsys):
    for name, content in FILES.findall(page.read_text(encoding="utf-8")):
        (desk / name).write_text(content, encoding="utf-8")
    sessions = {
        content for name, content in FILES.findall(page.read_text(encoding="utf-8")) if name.startswith("test_")
    }
    for code in blocks(page, "python"):
        if code not in sessions:  # the tests of the plugin run those
            exec(compile(code, page.name, "exec"), {})
    capsys.readouterr()


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"):
        for target in re.findall(r"(?:`|\$ )make ([a-z-]+)", page.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{page.name}: make {target}"


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"], ids=lambda page: page.name
)
def test_every_link_inside_the_project_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
