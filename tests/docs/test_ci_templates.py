"""The templates for continuous integration: they parse, ask for no right they do not need, and their commands run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ragassay import __version__
from ragassay.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
CI = ROOT / "examples" / "ci"
HANDBOOK = ROOT / "examples" / "handbook"
LENIENT = 'name = "lenient"\ncritical = false\n[[gates]]\nmetric = "recall@5"\nno_worse_by = 0.02\n'


def parsed(name):
    return yaml.safe_load((CI / name).read_text(encoding="utf-8"))


def of_github():
    steps = parsed("github.yml")["jobs"]["gate"]["steps"]
    return [(step["run"], step.get("if") == "always()") for step in steps if "run" in step]


def of_gitlab():
    job = parsed("gitlab.yml")["ragassay"]
    return [*((each, False) for each in job["script"]), *((each, True) for each in job["after_script"])]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository as docs/ci.md describes it: version 2 is under test, version 1 was released."""
    here = tmp_path_factory.mktemp("repository")
    shutil.copytree(HANDBOOK, here / "evaluation")
    (here / "evaluation" / "answers-v2.jsonl").rename(here / "evaluation" / "answers.jsonl")
    before = Path.cwd()
    os.chdir(here)
    try:
        assert run(["eval", "evaluation", "evaluation/answers-v1.jsonl", "--out", "v1", "--json"]) == 0
        assert run(["baseline", "set", "release", "v1"]) == 0
    finally:
        os.chdir(before)
    (here / "evaluation" / "answers-v1.jsonl").unlink()
    shutil.rmtree(here / "v1")
    return here


def executed(commands, folder):
    """What a runner does: stop at the first failure, save for what always runs. Gives the code and what was printed."""
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": place, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "NO_COLOR": "1"}
    code, printed = 0, ""
    for command, runs_always in commands:
        if "pip install" in command or (code and not runs_always):
            continue
        shell = ["bash", "-e", "-c", command]
        done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        code, printed = code or done.returncode, printed + done.stdout
    return code, printed


@pytest.mark.parametrize("commands", [of_github, of_gitlab])
def test_a_breach_fails_the_job_and_the_run_and_the_summary_are_kept(repository, tmp_path, commands):
    folder = shutil.copytree(repository, tmp_path / "checkout")
    code, printed = executed(commands(), folder)
    assert code == 1
    summary = printed if commands is of_gitlab else (folder / "summary.md").read_text(encoding="utf-8")
    assert "## Verdict" in summary and "Breached" in summary
    kept = {path.name for path in (folder / "ragassay-run").iterdir()}
    assert kept >= {"verdict.json", "verdict.xml", "verdict.md", "report.html", "run.json"}


@pytest.mark.parametrize("commands", [of_github, of_gitlab])
def test_what_passes_passes_against_the_pinned_release(repository, tmp_path, commands):
    folder = shutil.copytree(repository, tmp_path / "checkout")
    (folder / "evaluation" / "policy.toml").write_text(LENIENT, encoding="utf-8")
    assert executed(commands(), folder)[0] == 0


@pytest.mark.parametrize("commands", [of_github, of_gitlab])
def test_a_changed_baseline_fails_the_job_and_the_summary_says_that_nothing_was_decided(repository, tmp_path, commands):
    folder = shutil.copytree(repository, tmp_path / "checkout")
    (folder / "ragassay-baselines" / "release-1" / "run.json").write_text("{}", encoding="utf-8")
    code, printed = executed(commands(), folder)
    assert code == 2
    summary = printed if commands is of_gitlab else (folder / "summary.md").read_text(encoding="utf-8")
    assert "Nothing was decided" in summary


@pytest.mark.parametrize("commands", [of_github, of_gitlab])
def test_what_is_installed_is_pinned_to_this_version(commands):
    installed = [command for command, _ in commands() if "pip install" in command]
    assert len(installed) == 1
    assert installed[0].split()[-1] == f"ragassay=={__version__}"


def test_the_action_reads_and_nothing_else_and_knows_no_secret():
    text, workflow = (CI / "github.yml").read_text(encoding="utf-8"), parsed("github.yml")
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow[True] == {"pull_request": None}  # YAML 1.1 reads `on` as true
    assert not re.search(r"\$\{\{", text)
    steps = workflow["jobs"]["gate"]["steps"]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", each) for each in used) and len(used) == 3
    assert steps[0]["with"]["persist-credentials"] is False
    assert steps[-1]["if"] == "always()"


def test_the_job_keeps_its_artefacts_and_tells_junit_whatever_the_outcome():
    artifacts = parsed("gitlab.yml")["ragassay"]["artifacts"]
    assert (artifacts["when"], artifacts["paths"]) == ("always", ["ragassay-run"])
    assert artifacts["reports"]["junit"] == "ragassay-run/verdict.xml"
