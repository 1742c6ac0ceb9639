"""`ragauge cache`: what is kept between runs."""

import sqlite3

from ragauge.storage.cache import Cache


def test_nothing_kept_is_said(ragauge):
    done = ragauge("cache")
    assert done.code == 0
    assert done.out == ""
    assert "cache.sqlite does not exist: nothing is cached" in done.err


def test_what_a_run_kept_is_listed_and_removed(ragauge, answers):
    ragauge("run", answers, "-m", "semantic_similarity")
    done = ragauge("cache")
    assert "all-MiniLM-L6-v2 vector cut" in done.out
    done = ragauge("cache", "--clear")
    assert "deleted 4 entries from" in done.err
    assert "vector" not in ragauge("cache").out


def test_another_file_can_be_named(ragauge, tmp_path):
    Cache(tmp_path / "mine").keep("things", {b"a": bytes(2**20)})
    done = ragauge("cache", "mine")
    assert done.out.splitlines()[-1].split() == ["things", "1", "1.0", "MiB"]
    assert "| things | 1 | 1.0 MiB |" in ragauge("cache", "mine", "-f", "md").out


def test_a_file_of_another_kind_is_refused(ragauge, tmp_path):
    (tmp_path / "mine").write_text("no database " * 100)
    done = ragauge("cache", "mine", "--clear")
    assert done.code == 5
    assert "is not a file of ragauge" in done.err
    assert (tmp_path / "mine").read_text().startswith("no database")


def test_a_cache_of_a_newer_version_is_refused(ragauge, tmp_path):
    Cache(tmp_path / "mine").close()
    with sqlite3.connect(tmp_path / "mine") as database:
        database.execute("pragma user_version = 7")
    assert "newer ragauge" in ragauge("cache", "mine").err


def test_a_long_path_of_no_cache_is_cut_in_the_message(ragauge):
    done = ragauge("cache", "a" * 50_000)
    assert (done.code, len(done.err) < 3_000) == (0, True)
    assert done.err.startswith("ragauge: aaa")
