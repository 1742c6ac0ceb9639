import pytest
from cases import cases

from ragauge.errors import SuiteError
from ragauge.storage.tomlfile import as_list, as_table, check_table, parse_toml, read_toml


@cases(
    ("a = 1\na = 2\n", "line 2"),
    ("a = ", "at end of document"),
    ("[t]\n[t]\n", "line 2"),
    ("a = " + "[" * 5_000 + "]" * 5_000, "not valid TOML: brackets are nested too deep"),
    ("a = " + "1" * 5_000, "not valid TOML: a number has too many digits"),
    ("!!python/object:os.system", "not valid TOML"),
)
def test_what_is_no_toml_is_refused_with_its_source(text, problem):
    with pytest.raises(SuiteError) as caught:
        parse_toml(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml: ")
    assert problem in str(caught.value)


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "x"\n')
    assert read_toml(path) == {"name": "x"}


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"\n')
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(10_000_001)
    for name, said in (
        ("none.toml", "cannot be read: No such file"),
        ("", "cannot be read"),
        ("latin.toml", "not UTF-8 at byte 11"),
        ("huge.toml", "over 10,000,000 bytes"),
    ):
        with pytest.raises(SuiteError, match=said):
            read_toml(tmp_path / name)


def test_every_unknown_key_and_wrong_type_is_said_at_once():
    table = {"sute": "x", "limit": True, "scale": "1", "by": "x", "zzz": 1, "part": True}
    allowed = {"suite": str, "limit": int, "scale": float, "by": list, "part": float}
    assert check_table(table, allowed, "f") == [
        "f: unknown key 'sute'; did you mean 'suite'?",
        "f: limit must be a whole number, got True",
        "f: scale must be a number, got '1'",
        "f: by must be a list, got 'x'",
        "f: unknown key 'zzz'; the keys are suite, limit, scale, by, part",
        "f: part must be a number, got True",
    ]
    # A whole number is a number.
    assert check_table({"scale": 1, "flag": True}, {"scale": float, "flag": bool}, "f") == []


def test_a_value_is_a_list_or_a_table_or_neither():
    assert (as_list(["a"]), as_table(["a"])) == (["a"], None)
    assert (as_list({"a": 1}), as_table({"a": 1})) == (None, {"a": 1})
