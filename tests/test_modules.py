import importlib.util
import sys

from ragauge.modules import find_spec


def test_a_module_is_found_without_importing_its_package(tmp_path, monkeypatch):
    (tmp_path / "lazy_package").mkdir()
    (tmp_path / "lazy_package" / "__init__.py").write_text("raise SystemExit")
    (tmp_path / "lazy_package" / "inner.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    spec = find_spec("lazy_package.inner")
    assert spec is not None and spec.origin == str(tmp_path / "lazy_package" / "inner.py")
    assert "lazy_package" not in sys.modules


def test_a_module_has_no_modules_in_it(tmp_path, monkeypatch):
    (tmp_path / "outer.py").write_text("")
    (tmp_path / "inner.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_spec("outer") is not None
    assert find_spec("outer.inner") is None
    assert find_spec("nowhere.inner") is None


def test_a_finder_of_this_process_is_used_only_if_it_is_given(tmp_path, monkeypatch):
    (tmp_path / "__init__.py").write_text("")

    class Finder:
        @staticmethod
        def find_spec(name, *_):
            places = {"submodule_search_locations": [str(tmp_path)]}
            file = str(tmp_path / "__init__.py")
            if name == "found_elsewhere":
                return importlib.util.spec_from_file_location(name, file, **places)
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert find_spec("found_elsewhere") is None
    assert find_spec("found_elsewhere", importlib.util.find_spec) is not None
