"""The shape of the code: small modules, short functions, no drawers. An exception says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
WRITTEN = [*SOURCES, *sorted((ROOT / "examples").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
MODULE, FUNCTION, PARAMETERS = 400, 40, 6
DRAWERS = {"utils", "helpers", "common", "misc", "base", "core", "manager", "types", "constants", "models"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_IMPORTS = {"pickle", "joblib", "dill", "shelve", "marshal"}
EXCEPTIONS: dict[str, str] = {
    "src/ragassay/api.py::evaluate": "one parameter for each option of `ragassay eval`",
    "src/ragassay/contract/judges.py::_named": "an application imports no judge before one is asked",
    "src/ragassay/judges/naming.py::_llm": "the client of endpoints is an optional extra",
    "src/ragassay/judges/naming.py::_embedded": "its models are loaded for those who ask for them",
}
"""`path::name` → why it may differ."""


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def excused(path: Path, name: str) -> bool:
    return f"{named(path)}::{name}" in EXCEPTIONS


def test_there_is_code_to_look_at():
    assert len(SOURCES) > 50


@pytest.mark.parametrize("path", WRITTEN, ids=named)
def test_modules_and_functions_are_short(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= MODULE or excused(path, ""), f"{lines} lines"
    long = {
        f.name: length
        for f in functions(path)
        if (length := (f.end_lineno or 0) - f.lineno + 1) > FUNCTION and not excused(path, f.name)
    }
    assert not long


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_functions_take_few_parameters(path):
    wide = {}
    for function in functions(path):
        taken = function.args
        count = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
        first = (taken.posonlyargs + taken.args)[:1]
        count -= bool(first and first[0].arg in {"self", "cls"})
        if count > PARAMETERS and not excused(path, function.name):
            wide[function.name] = count
    assert not wide


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_nothing_is_imported_inside_a_function(path):
    inner = [
        f"{function.name}:{node.lineno}"
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not excused(path, function.name)
    ]
    assert not inner


def test_no_file_is_a_drawer():
    names = {path.stem for path in SOURCES} | {path.parent.name for path in SOURCES}
    assert not names & DRAWERS


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_data_never_becomes_code(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & FORBIDDEN_CALLS
    imported = {
        alias.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {(node.module or "").partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not imported & FORBIDDEN_IMPORTS


def test_every_exception_still_exists():
    known = {f"{named(path)}::{function.name}" for path in WRITTEN for function in functions(path)}
    known |= {f"{named(path)}::" for path in WRITTEN}
    assert set(EXCEPTIONS) <= known
    assert all(EXCEPTIONS.values())
