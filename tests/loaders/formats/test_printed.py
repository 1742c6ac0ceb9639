"""Lists as Python prints them: texts that end in the middle, and threads that read at once."""

import gc
import threading
import time

import pytest
from cases import cases

from ragauge.loaders.formats.files import text_lines
from ragauge.loaders.table import UnreadableError, parsed_module, printed_list


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_text_that_is_not_closed_is_refused_in_linear_time(quote, assert_linear_time):
    def read(text: str) -> None:
        with pytest.raises(UnreadableError, match="nor a Python list; write"):
            printed_list(text)

    assert_linear_time(read, lambda n: f"[{quote}" + f"\\{quote}" * n, 20_000)


@cases(
    "'a' 'b",
    "'a', 'it's'",
    "'it''s' 'b'",
    "'it''s'",
    "'a' ...\n 'b'",
    "'a', ...",
    "'a\n'",
    '"a\\"',
)
def test_a_broken_list_is_not_read(items):
    with pytest.raises(UnreadableError):
        printed_list(f"[{items}]")
    assert printed_list("['it\\'s [', \"a\\\"b\"]") == ["it's [", 'a"b']


def test_the_first_word_with_an_accent_is_found_in_a_long_line_in_linear_time(
    tmp_path, assert_linear_time
):
    def notes_on(text: str) -> list[str]:
        path, notes = tmp_path / "a.csv", list[str]()
        path.write_bytes(text.encode("cp1252"))
        assert list(text_lines(path, [], excel_notes=notes))
        return notes

    assert "'Zoé' in line 3" in notes_on("a\nb\na Zoé b é")[0]
    assert_linear_time(notes_on, lambda n: "a" * n + "é", 20_000)


@pytest.fixture
def interrupted():
    """Garbage is collected while a tree is built, and another thread goes on meanwhile."""
    before = gc.get_threshold()

    def let_others(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(let_others)
    gc.set_threshold(20)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(let_others)


@pytest.mark.usefixtures("interrupted")
def test_several_threads_read_at_once():
    """CPython 3.11 fails if two threads build a syntax tree at once."""
    line = "def f{at}(a):\n    return [[[[a + {at}]]], {{'b': (a, {at})}}]"
    source = "\n".join(line.format(at=at) for at in range(60))
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                parsed_module(source)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert not failures
