import pytest

from ragassay.formats.system import Items, Price, Stream, read_system, steps
from ragassay.records import FaultyInput

GOOD = """
url = "https://rag.example:8443/ask"
[headers]
Accept = "application/json"
Authorization = "Bearer {env:RAG_KEY}"
[request]
question = "{question}"
[stream]
form = "lines"
finish = "state.done"
[reply]
answer = "a.b[0].c"
packed = "used[*].id"
[reply.retrieved]
each = "hits[*]"
document = "."
[price]
input = 1
output = 2.5
"""


def read(folder, text):
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return read_system(folder / "s.toml")


def faults(folder, text):
    with pytest.raises(FaultyInput) as faulty:
        read(folder, text)
    return {fault.field: fault for fault in faulty.value.faults}


def test_a_description_is_read(tmp_path):
    found = read(tmp_path, GOOD)
    assert found.url == "https://rag.example:8443/ask"
    assert found.method == "POST"
    assert found.stream == Stream(form="lines", finish=("state", "done"))
    assert found.reply.scalars == {"answer": ("a", "b", 0, "c"), "packed": ("used", None, "id")}
    assert found.reply.items == {"retrieved": Items(each=("hits", None), fields={"document": ()})}
    assert found.price == Price(input=1.0, output=2.5)


def test_all_faults_come_at_once_with_near_misses(tmp_path):
    found = faults(
        tmp_path,
        """
        url = "https://user:hidden@rag.example"
        metod = "POST"
        version = 2
        most_tokens = -1
        [headers]
        Authorization = "Bearer hidden-in-file"
        "X Y" = "{env:A}"
        [parameters]
        top = 5
        where = "{scope}"
        [request]
        question = "{questoin}"
        text = "groups: {groups}"
        key = "{env:KEY}"
        weight = nan
        [stream]
        form = "grpc"
        [reply]
        anwser = "a"
        answer = "$.a"
        error = "a..b"
        [reply.retrieved]
        scor = "s"
        [price]
        input = -1
        output = 1
        """,
    )
    assert found.keys() == {
        *("url", "metod", "version", "most_tokens", "headers.Authorization", "headers.X Y", "parameters.top"),
        *("parameters.where", "request.question", "request.text", "request.key", "request.weight", "request"),
        *("stream.form", "reply.anwser", "reply.answer", "reply.error", "reply.retrieved.scor", "reply.retrieved"),
        *("reply.retrieved.each", "price"),
    }
    assert found["metod"].remedy == "did you mean method?"
    assert found["request.question"].remedy == "did you mean {question}?"
    assert found["request.key"].remedy == "a key belongs into [headers]"
    assert found["reply.anwser"].remedy == "did you mean answer?"
    assert found["reply.answer"].remedy == "leave out $."
    assert found["request"].code == "no_question"
    assert all(fault.file == "s.toml" for fault in found.values())
    assert not any("hidden" in str(fault) for fault in found.values())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "rag.example/ask",
        "ftp://rag.example",
        "http://",
        "http://a/{question}",
        "http://a/?key=1",
        "http://a:x/",
        "http://[",
        "http://a b/",
        7,
    ],
)
def test_an_address_is_plain(tmp_path, url):
    quoted = url if isinstance(url, int) else f'"{url}"'
    assert faults(tmp_path, f'url = {quoted}\n[request]\nq = "{{question}}"').keys() == {"url"}


@pytest.mark.parametrize(
    "url", ["http://localhost:1/x", "http://[::1]:80/", "http://10.0.0.1", "https://пример.рф/ask"]
)
def test_every_kind_of_host_is_taken(tmp_path, url):
    assert read(tmp_path, f'url = "{url}"\n[request]\nq = "{{question}}"').url == url


def test_an_address_is_needed(tmp_path):
    assert faults(tmp_path, '[request]\nq = "{question}"')["url"].message == "the address is missing"


@pytest.mark.parametrize("text", ["url = ", "a = 1\na = 2", "x = " + "[" * 3000])
def test_broken_toml_is_said_so(tmp_path, text):
    assert faults(tmp_path, text)[None].code == "broken_toml"


def test_a_get_has_no_body(tmp_path):
    assert "request" in faults(tmp_path, 'url = "http://a"\nmethod = "GET"\n[request]\nq = "{question}"')


def test_a_stream_needs_to_know_where_its_pieces_stand(tmp_path):
    text = 'url = "http://a"\n[request]\nq = "{question}"\n[stream]\nform = "sse"\n'
    assert faults(tmp_path, text).keys() == {"reply.answer"}
    assert faults(tmp_path, text + '[reply.retrieved]\neach = "h[*]"\ntext = "t"').keys() == {"reply.answer"}


def test_retrieval_alone_is_enough(tmp_path):
    text = 'url = "http://a"\n[request]\nq = "{question}"\n[reply.retrieved]\neach = "h[*]"\ntext = "t"'
    assert read(tmp_path, text).reply.scalars == {}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".", ()),
        ("a", ("a",)),
        ("a.b[0].c", ("a", "b", 0, "c")),
        ("[2]", (2,)),
        ("[*].id", (None, "id")),
        ("a[*][1].имя-x", ("a", None, 1, "имя-x")),
        ("", None),
        (".a", None),
        ("a.", None),
        ("a..b", None),
        ("a[-1]", None),
        ("a[", None),
        ("a[1234567]", None),
        ("a b", None),
        ("a[?(@.x)]", None),
        ("a[0]b", None),
    ],
)
def test_a_path_is_names_and_places(path, found):
    assert steps(path) == found
