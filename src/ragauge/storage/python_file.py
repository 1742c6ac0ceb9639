"""Import a Python file by its path."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


class _Uncached(SourceFileLoader):
    """Compiles the file each time: bytecode of an edit in the same second would be run for the new text."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def import_file(file: Path, prefix: str) -> ModuleType:
    """Execute a .py file as a module named after it; ImportError if it is not Python."""
    name = f"{prefix}_{file.stem}"
    while name in sys.modules and sys.modules[name].__file__ != str(file.absolute()):
        name += "_"
    loader = _Uncached(name, str(file.absolute())) if file.suffix == ".py" else None
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
