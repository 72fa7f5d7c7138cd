"""Bytes, encodings, line ends, limits: what files do before a field is read."""

import gzip
import io
import zipfile

import polars as pl
import pytest
import xlsxwriter

from ragassay.formats import load_answers, load_dataset
from ragassay.formats.encoding import read_bytes
from ragassay.formats.reading import Reading
from ragassay.records import FaultyInput


def codes(bundle):
    return [notice.code for notice in bundle.notices]


def workbook(rows, *, at=(0, 0), sheets=1):
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    for _ in range(sheets):
        sheet = book.add_worksheet()
        for line, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                sheet.write(at[0] + line, at[1] + column, cell)
    book.close()
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bytes.fromhex("efbbbf7175657374696f6e2c676f6c640d0a513f2c410d0a"), ["encoding"]),
        ("question,gold\r\nQ?,A\r\n".encode("utf-16"), ["encoding"]),
        (b"\xfe\xff" + "question,gold\r\nQ?,A\r\n".encode("utf-16-be"), ["encoding"]),
        (b"question,gold\r\nQ?,A\r\n", []),
    ],
)
def test_byte_order_marks(save, data, said):
    bundle = load_dataset(save("q.csv", data))
    assert [query.question for query in bundle.queries] == ["Q?"]
    assert [code for code in codes(bundle) if code == "encoding"] == said
    assert next(each for each in bundle.notices if each.code == "unknown_fields").samples[0].startswith("gold (")


RUSSIAN = "question;answer\r\nКаков момент затяжки болта М12?;Болты М12 затягивают моментом 80 Н·м.\r\n"


def test_cp1251_is_recognised_and_said(save):
    bundle = load_answers(save("a.csv", RUSSIAN.encode("cp1251")))
    assert bundle.answers[0].answer == "Болты М12 затягивают моментом 80 Н·м."
    assert "encoding" in codes(bundle)
    assert bundle.inputs == ("a.csv (own CSV, cp1251)",)


@pytest.mark.parametrize(
    "data",
    [
        RUSSIAN.encode().replace("болта".encode(), b"\xff\xfe\xff"),
        RUSSIAN.encode("koi8-r", "replace"),
        RUSSIAN.encode("utf-16-le"),
        b"\xff\xfe\x00",
    ],
    ids=["damaged utf-8", "koi8-r", "utf-16 without mark", "cut utf-16"],
)
def test_other_bytes_are_refused_rather_than_guessed(save, faults_of, data):
    (fault,) = faults_of(lambda: load_answers(save("a.csv", data)))
    assert fault.code == "encoding"


def test_the_line_of_a_damaged_byte(save, faults_of):
    data = '{"query":"а","answer":"б"}\n'.encode() + b'{"query":"b","answer":"\xff"}\n'
    (fault,) = faults_of(lambda: load_answers(save("a.jsonl", data)))
    assert fault.line == 2


def test_only_lf_ends_a_json_line(save):
    text = '{"query":"1","answer":"a\u2028b\u0085c"}\r\n\n{"query":"2","answer":"c"}\r\n'
    answers = load_answers(save("a.jsonl", text)).answers
    assert [answer.answer for answer in answers] == ["a\u2028b\u0085c", "c"]


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_none_are_refused_with_their_position(save, faults_of, bad):
    text = f'{{"query":"1","answer":"x"}}\n{{"query":"2","retrieved":[{{"document":"d","score": {bad}}}]}}\n'
    (fault,) = faults_of(lambda: load_answers(save("a.jsonl", text)))
    assert (fault.code, fault.line, fault.value.strip("'")) == ("not_finite", 2, bad)
    assert "column 52" in fault.message


@pytest.mark.parametrize(
    ("escaped", "read", "repairs"),
    [
        (r"Готово \ud83e", "Готово \ufffd", 1),
        (r"\udd16 и \ud83e!", "\ufffd и \ufffd!", 2),
        (r"\ud83e\udd16", "🤖", 0),
        (r"\ud83e\ud83e\udd16", "\ufffd🤖", 1),
        (r"\\ud83e", r"\ud83e", 0),
        (r"\\\ud83e", "\\\ufffd", 1),
    ],
)
def test_half_characters_are_repaired_and_counted(save, escaped, read, repairs):
    bundle = load_answers(save("a.jsonl", f'{{"query":"1","answer":"{escaped}"}}\n'))
    assert bundle.answers[0].answer == read
    assert sum(notice.count for notice in bundle.notices if notice.code == "text_repaired") == repairs


@pytest.mark.parametrize(
    "text", ['{"a":' * 5000, "[" * 5000, '{"query":"q","answer":"x"', '{"query" "q"}', "[1,2]", "{}"]
)
def test_broken_json_is_a_fault(save, faults_of, text):
    faults_of(lambda: load_answers(save("a.json", text)))


def test_faults_in_a_json_array_have_their_physical_line(save, faults_of):
    text = '[\n {"query": "a",\n  "answer": "x"},\n\n {"query": "b",\n  "total_ms": -1}, 7]'
    faults = faults_of(lambda: load_answers(save("a.json", text)))
    assert [(fault.line, fault.field) for fault in faults] == [(6, None), (5, "total_ms")]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.xlsx", "a.parquet", "a.txt"])
@pytest.mark.parametrize("content", [b"", b" \n \n", b"\xef\xbb\xbf"])
def test_empty_files(save, faults_of, name, content):
    (fault,) = faults_of(lambda: load_dataset(save(name, content)))
    assert fault.code == "empty_file"


def test_files_that_cannot_be_read(tmp_path, save, faults_of):
    assert faults_of(lambda: load_dataset(tmp_path / "absent.jsonl"))[0].code == "unreadable_file"
    assert faults_of(lambda: load_dataset(tmp_path / ("x" * 300)))[0].code == "unreadable_file"
    assert faults_of(lambda: load_dataset(tmp_path / "a\0b"))[0].code == "unreadable_file"
    (tmp_path / "folder").mkdir()
    assert faults_of(lambda: load_answers(tmp_path / "folder"))[0].code == "no_answers"
    with pytest.raises(FaultyInput):
        read_bytes(tmp_path / "folder", Reading("folder"))


def test_gzip(save):
    bundle = load_answers(save("a.jsonl.gz", [{"query": "1", "answer": "да"}], packed=True))
    assert bundle.answers[0].answer == "да"


def test_gzip_that_is_cut_or_a_bomb(save, faults_of):
    whole = gzip.compress(b'{"query":"1"}\n' * 1000)
    assert faults_of(lambda: load_answers(save("a.gz", whole[:-9])))[0].code == "broken_file"
    bomb = save("b.gz", gzip.compress(b"0" * 1_000_001))
    with pytest.raises(FaultyInput) as raised:
        read_bytes(bomb, Reading("b.gz"), limit=1_000_000)
    assert raised.value.faults[0].code == "too_large"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(save, delimiter):
    cells = [["id", "question", "critical", "relevant"], ["1", '"a, b; ""c""\r\nd\te"', "да", '"[""x"",""y""]"']]
    text = "\r\n".join(delimiter.join(row) for row in cells)
    (query,) = load_dataset(save("q.csv", text)).queries
    assert query.question == 'a, b; "c"\r\nd\te'
    assert query.critical is True
    assert [each.id for each in query.relevant] == ["x", "y"]


def test_a_csv_fault_has_the_line_on_which_its_record_begins(save, faults_of):
    text = 'query,answer,total_ms\n1,"a\nb\nc",5\n\n2,"d\ne",fast\n3,x\n'
    faults = faults_of(lambda: load_answers(save("a.csv", text)))
    assert sorted((fault.line, fault.code) for fault in faults) == [(6, "bad_value"), (8, "ragged_row")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('query,answer\n1,"open\n2,x\n', "broken_csv"),
        ('query,answer\n1,"a"b\n', "broken_csv"),
        ("query,answer,answer\n1,a,b\n", "duplicate_column"),
        ("query,answer\n", "empty_file"),
        ("just words\nand more\n", "unknown_form"),
    ],
)
def test_broken_csv(save, faults_of, text, code):
    assert faults_of(lambda: load_answers(save("a.csv", text)))[0].code == code


def test_an_empty_cell_is_not_given(save):
    first, second = load_answers(save("a.csv", 'query,answer,retrieved,complete\n1,,[],\n2,x,,"нет"\n')).answers
    assert (first.answer, first.retrieved, first.complete) == (None, (), None)
    assert (second.answer, second.retrieved, second.complete) == ("x", None, False)


def test_wide_tables_and_large_cells(save):
    names = ["query", "answer", *(f"column{number}" for number in range(200))]
    row = ["1", "я" * 1_000_000, *("x" for _ in range(200))]
    bundle = load_answers(save("a.csv", ",".join(names) + "\n" + ",".join(row) + "\n"))
    assert len(bundle.answers[0].answer) == 1_000_000
    assert next(each for each in bundle.notices if each.code == "unknown_fields").count == 200


def test_whole_columns_of_numbers_with_gaps_are_ids(save):
    bundle = load_answers(save("a.csv", "query,retrieved,answer\n1.0,[101.0],5.0\n2.0,[7],x\n"))
    assert [answer.query for answer in bundle.answers] == ["1", "2"]
    assert bundle.answers[0].retrieved[0].document == "101"
    assert bundle.answers[0].answer == "5.0"
    assert "whole_ids" in codes(bundle)
    versions = load_answers(save("v.csv", "query,answer\n1.0,a\n1.1,b\n"))
    assert [answer.query for answer in versions.answers] == ["1.0", "1.1"]


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ('["Return within 30 days.", "Unopened only."]', ["Return within 30 days.", "Unopened only."]),
        ("['Return within 30 days.', \"Seller's cost.\"]", ["Return within 30 days.", "Seller's cost."]),
        ("Return within [30] days.", ["Return within [30] days."]),
        ("[30] days", ["[30] days"]),
        ("", []),
        ("[]", []),
        ("__import__('os').system('touch pwned')", ["__import__('os').system('touch pwned')"]),
        ("[__import__('os').system('touch pwned')]", ["[__import__('os').system('touch pwned')]"]),
        ("[" * 3000, ["[" * 3000]),
    ],
)
def test_a_cell_that_holds_a_list(save, cell, texts):
    (answer,) = load_answers(save("a.jsonl", [{"question": "?", "answer": "!", "contexts": cell}])).answers
    assert [result.text for result in answer.retrieved] == texts


def test_a_cell_that_holds_a_list_of_numbers_holds_no_texts(save, faults_of):
    rows = [{"question": "?", "contexts": "[1, 2]"}]
    faults = faults_of(lambda: load_answers(save("a.jsonl", rows)))
    assert [fault.field for fault in faults] == ["contexts[0]", "contexts[1]"]


def test_xlsx(save):
    rows = [["id", "question", "critical", "relevant"], [7, "Кто?", True, '["x"]'], ["", "", "", ""], [8, 80, "", ""]]
    bundle = load_dataset(save("q.xlsx", workbook(rows, at=(2, 1), sheets=2)))
    first, second = bundle.queries
    assert (first.id, first.question, first.critical, first.relevant[0].id) == ("7", "Кто?", True, "x")
    assert (second.id, second.question, second.relevant) == ("8", "80", None)
    assert "sheet" in codes(bundle)


def test_an_xlsx_fault_has_the_number_of_its_row(save, faults_of):
    rows = [["query", "total_ms"], ["a", 1], ["b", "fast"]]
    (fault,) = faults_of(lambda: load_answers(save("a.xlsx", workbook(rows, at=(3, 2)))))
    assert (fault.line, fault.field) == (6, "total_ms")


def test_workbooks_that_would_fill_the_memory(save, faults_of):
    stray = workbook([["id"]], at=(1_048_575, 16_383))
    assert faults_of(lambda: load_dataset(save("stray.xlsx", stray)))[0].code == "too_large"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/big.xml", "w") as entry:
        for _ in range(600):
            entry.write(bytes(1 << 20))
    assert faults_of(lambda: load_dataset(save("bomb.xlsx", stream.getvalue())))[0].code == "too_large"


@pytest.mark.parametrize("cut", [4, 100, -30])
def test_broken_workbooks_and_parquet(save, faults_of, cut):
    stream = io.BytesIO()
    pl.DataFrame({"query": ["a"], "answer": ["b"]}).write_parquet(stream)
    for name, data in (("a.xlsx", workbook([["query"], ["a"]])), ("a.parquet", stream.getvalue())):
        assert faults_of(lambda data=data, name=name: load_answers(save(name, data[:cut])))[0].code == "broken_file"


def test_a_workbook_with_damaged_compression(save, faults_of):
    data = workbook([["query", "answer"], ["a", "b"]])
    name = b"xl/worksheets/sheet1.xml"
    start = data.index(name) + len(name)
    damaged = data[:start] + b"\xff" * 20 + data[start + 20 :]
    assert faults_of(lambda: load_answers(save("a.xlsx", damaged)))[0].code == "broken_file"


def test_a_zip_that_is_no_workbook_and_a_workbook_without_rows(save, faults_of):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert faults_of(lambda: load_dataset(save("a.xlsx", stream.getvalue())))[0].code == "broken_file"
    assert faults_of(lambda: load_dataset(save("b.xlsx", workbook([]))))[0].code == "empty_file"
    assert faults_of(lambda: load_dataset(save("c.xlsx", workbook([["id", "question"]]))))[0].code == "empty_file"


def test_parquet_types(save, faults_of):
    frame = pl.DataFrame(
        {
            "query": [1.0, 2.0],
            "retrieved": [[{"document": 101, "score": 0.5}], None],
            "complete": [True, None],
        }
    )
    stream = io.BytesIO()
    frame.write_parquet(stream)
    first, second = load_answers(save("a.parquet", stream.getvalue())).answers
    assert (first.query, first.retrieved[0].document, first.complete) == ("1", "101", True)
    assert (second.query, second.retrieved, second.complete) == ("2", None, None)
    stream = io.BytesIO()
    pl.DataFrame({"query": ["a"], "cost": [float("nan")]}).write_parquet(stream)
    assert faults_of(lambda: load_answers(save("b.parquet", stream.getvalue())))[0].field == "cost"


def test_the_form_is_told_by_the_content_not_the_name(save):
    rows = [{"query": "a", "answer": "b"}]
    assert load_answers(save("answers.xlsx", rows)).answers == load_answers(save("answers", rows)).answers
