"""`ragauge cache`: what is kept between runs."""

from ragauge.storage.cache import Cache


def test_nothing_kept_is_said(ragauge):
    done = ragauge("cache", code=0)
    assert done.out == ""
    assert "cache.sqlite does not exist: nothing is cached" in done.err
    done = ragauge("cache", "a" * 50_000)
    assert (done.code, len(done.err) < 3_000) == (0, True)


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
