import io
import json

from rich.console import Console

from ragassay.records import Fault
from ragassay.reports.faults import faults_json, render_faults

FAULT = Fault(
    code="bad_grade",
    message="a grade is no number",
    file="queries.jsonl",
    line=17,
    field="relevant[0].grade",
    value='"high"',
    expected="a number",
    remedy="write 2",
)


def test_a_fault_names_place_value_expectation_and_remedy():
    page = io.StringIO()
    render_faults([FAULT, Fault(code="empty", message="no rows")], Console(file=page, width=80, no_color=True))
    assert page.getvalue() == (
        "queries.jsonl:17, relevant[0].grade  a grade is no number  [bad_grade]\n"
        '  found    "high"                                                               \n'
        "  expected a number                                                             \n"
        "  remedy   write 2                                                              \n"
        "no rows  [empty]\n"
        "2 faults; nothing was measured.\n"
    )


def test_nothing_of_a_long_remedy_is_cut_off():
    page, words = io.StringIO(), [f"word{number}" for number in range(60)]
    fault = Fault(code="long", message="no", remedy=" ".join(words))
    render_faults([fault], Console(file=page, width=80, no_color=True, soft_wrap=True))
    assert [word for word in words if word in page.getvalue().split()] == words


def test_programs_get_every_field_of_every_fault():
    errors = json.loads(faults_json([FAULT, Fault(code="empty", message="no rows")]))["errors"]
    assert errors[0]["line"] == 17
    assert errors[1] == {
        "code": "empty",
        "message": "no rows",
        **dict.fromkeys(("file", "line", "field", "value", "expected", "remedy")),
    }
