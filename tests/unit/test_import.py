"""What importing the package costs and what it may not do."""

import subprocess
import sys

HEAVY = ("numpy", "polars", "scipy", "rich", "jinja2", "cyclopts", "msgspec")


def test_the_root_imports_nothing_heavy_and_still_knows_its_names():
    code = "import sys, ragassay; print(sorted(set(sys.modules) & set(%r)), sorted(ragassay.__all__), dir(ragassay))"
    done = subprocess.run([sys.executable, "-c", code % (HEAVY,)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] ")
    assert "evaluate" in done.stdout


def test_public_names_resolve_and_others_do_not():
    import ragassay

    for name in ragassay.__all__:
        assert getattr(ragassay, name) is not None
    assert not hasattr(ragassay, "no_such_name")
