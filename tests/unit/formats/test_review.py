import csv
import io

import pytest

from ragassay.formats.review import Disputed, Review, read_reviews, write_queue
from ragassay.records import FaultyInput

HEAD = "id,kind,label,rater,seen"
ROW = Disputed(
    id="c-1",
    kind="claim",
    query="q1",
    question="Сколько?",
    critical=True,
    side="answer",
    beside="context",
    shares=3,
    text='=cmd|"/c calc"!A1',
    quote=None,
    verdict="supports",
    probability=0.52,
    reason=None,
    context=("one, two", "-3 °C"),
    seen=2,
)


def table(path):
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("name", ["queue.csv", "queue.jsonl"])
def test_a_queue_goes_out_and_comes_back(tmp_path, name):
    path = tmp_path / name
    write_queue(path, [ROW])
    assert read_reviews(path).open == 1
    if name.endswith("csv"):
        rows = table(path)
        rows[1][-2:] = ["верно", "A"]
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
    else:
        path.write_text(
            path.read_text("utf-8").replace('"label":"","rater":""', '"label":"верно","rater":"A"'), "utf-8"
        )
    assert read_reviews(path).decided == (
        Review(id="c-1", label="supports", rater="A", seen=2, line=1 + name.endswith("csv")),
    )


def test_no_cell_is_a_formula(tmp_path):
    write_queue(tmp_path / "queue.csv", [ROW])
    header, row = table(tmp_path / "queue.csv")
    assert not [cell for cell in row if cell[:1] in "=+-@" and cell]
    assert dict(zip(header, row, strict=True))["text"] == "'" + ROW.text


def test_all_faults_at_once(tmp_path):
    path = tmp_path / "queue.csv"
    rows = ["c-1,claim,suports,A,0", ",claim,supports,A,0", "c-2,claim,supports,A,", "c-3,claim,supports,A,x"]
    path.write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    with pytest.raises(FaultyInput) as caught:
        read_reviews(path)
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [
        (2, "label"),
        (3, "id"),
        (4, "seen"),
        (5, "seen"),
    ]


def test_one_rater_decides_once_in_a_file(tmp_path):
    path = tmp_path / "queue.csv"
    rows = ["c-1,claim,supports,A,0", "c-1,claim,neutral,B,0", "c-1,claim,supports,A,0"]
    path.write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    assert len(read_reviews(path).decided) == 3
    path.write_text("id,kind,label,rater,seen\nc-1,claim,supports,A,0\nc-1,claim,neutral,A,0\n", "utf-8")
    with pytest.raises(FaultyInput, match="line 2"):
        read_reviews(path)


def test_each_kind_has_words_of_its_own(tmp_path):
    path = tmp_path / "queue.csv"
    rows = ["s-1,citation,нет,A,0", "p-1,passage,полезно,A,0", "p-2,passage,2,A,0", "r-1,refusal,отказ,A,0"]
    path.write_text("id,kind,label,rater,seen\n" + "\n".join(rows) + "\n", "utf-8")
    assert [review.label for review in read_reviews(path).decided] == ["neutral", 1.0, 2.0, "refused"]
    path.write_text("id,kind,label,rater,seen\np-1,passage,отказ,A,0\nr-1,refusal,supports,A,0\n", "utf-8")
    with pytest.raises(FaultyInput) as caught:
        read_reviews(path)
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(2, "label"), (3, "label")]
