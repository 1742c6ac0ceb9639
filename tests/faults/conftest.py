import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

JUDGES = Path(__file__).parents[1] / "judges"


def _loaded(name: str) -> ModuleType:
    spec = spec_from_file_location(f"{name}_of_faults", JUDGES / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def faulty() -> Iterator[ModuleType]:
    """The module of the server whose answers and failures a test chooses."""
    return _loaded("faulty_server")


@pytest.fixture(scope="session")
def rules() -> Iterator[ModuleType]:
    """The module of the judge that replies by rules."""
    return _loaded("rules")
