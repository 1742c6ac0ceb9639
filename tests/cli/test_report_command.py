"""`ragauge report`: the page of stored runs."""

import re
from pathlib import Path

from cases import cases


def test_several_runs_go_into_one_file(ragauge, answers):
    ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    ragauge("run", answers, "-m", "token_f1", "--folder", "other")
    assert ragauge("report", "mine", "other", "-o", "both.html").code == 0
    text = Path("both.html").read_text()
    assert "<title>mine · other – ragauge</title>" in text
    assert 'id="1.ids"' in text
    assert ragauge("report", "mine", "other", "-o", "few.html", "--no-evidence").code == 0
    assert Path("few.html").stat().st_size < Path("both.html").stat().st_size
    assert ragauge("report", "mine", "other", "./mine/", "-o", "again.html").code == 0
    assert "<title>mine · other – ragauge</title>" in Path("again.html").read_text()


def test_what_is_no_run_and_what_is_no_page_are_errors(ragauge, answers):
    assert "nothing: is not a run folder" in ragauge("report", "nothing", code=5).err
    ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    done = ragauge("report", "mine", "-o", "mine.pdf", code=2)
    assert "mine.pdf: a report is an HTML file; choose a name that ends in .html" in done.err
    assert ragauge("report").code == 2


def test_a_run_leaves_its_page_and_says_so_last(ragauge, answers):
    done = ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    assert done.err.splitlines()[-1] == "ragauge: open mine/report.html in a browser"
    assert Path("mine/report.html").read_text().startswith("<!doctype html>")
    done = ragauge("run", answers, "-m", "token_f1", "--folder", "other", "--no-report")
    assert "report.html" not in done.err
    assert not Path("other/report.html").exists()
    for named in ((), ("-o", "other/report.html")):
        done = ragauge("report", "other", *named, code=0, out="")
        said = r"ragauge: wrote other/report.html \(\d+ kB\); open it in a browser\n"
        assert re.fullmatch(said, done.err)
        assert Path("other/report.html").read_text().startswith("<!doctype html>")
        Path("other/report.html").unlink()


def test_a_very_large_run_s_page_has_no_evidence(ragauge, answers, monkeypatch):
    monkeypatch.setattr("ragauge.page.page.MAX_WITH_EVIDENCE", 3)
    done = ragauge("run", answers, "-m", "exact_match", "--folder", "mine")
    assert "mine/report.html leaves out the evidence; add it with: ragauge report mine" in done.err
    assert '"has_evidence":false' in Path("mine/report.html").read_text()


@cases(("MAX_TEXTS", "too large for one page"), ("MAX_SCORES", "too many for one page"))
def test_a_run_that_is_too_large_for_a_page_gets_none_and_the_way_out(
    limit, why, ragauge, answers, monkeypatch
):
    monkeypatch.setattr(f"ragauge.page.page.{limit}", 3)
    done = ragauge("run", answers, "-m", "exact_match", "--folder", "mine", code=0)
    assert why in done.err
    assert "browse them with: ragauge view mine" in done.err
    assert not Path("mine/report.html").exists()
    done = ragauge("report", "mine", "-o", "mine.html", code=2)
    assert why in done.err
    assert "with: ragauge show mine ID" in done.err
    assert not Path("mine.html").exists()
