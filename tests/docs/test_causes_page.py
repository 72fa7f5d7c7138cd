"""The page of causes lists what the decision list holds, in its order."""

import re
from pathlib import Path

from ragassay.causes import KINDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "causes.md"


def test_the_page_lists_every_cause_with_its_stage_in_order():
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(name, kind.stage) for name, kind in KINDS.items()]
