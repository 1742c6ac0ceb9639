import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from ragauge.cli import main

JUDGES = Path(__file__).parents[1] / "judges"


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def ragauge(capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path) -> Callable[..., Done]:
    """The command in this process, in the test's folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(one) for one in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Done(int(left.value.code or 0), said.out, said.err)

    return call


def _loaded(name: str) -> ModuleType:
    spec = spec_from_file_location(f"{name}_of_faults", JUDGES / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def faulty() -> Iterator[ModuleType]:
    """The module of the server that answers, and fails, as it is told."""
    return _loaded("faulty_server")


@pytest.fixture(scope="session")
def rules() -> Iterator[ModuleType]:
    """The module of the judge that replies by rules."""
    return _loaded("rules")
