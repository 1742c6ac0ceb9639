"""The examples of docs/data.md for packages that need not be installed; real_packages.py runs them all."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
EXAMPLES = re.findall(r"^```py\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=lambda code: code.split()[1].partition(".")[0])
def test_the_example_of_a_tool_loads_one_sample(code):
    pytest.importorskip(code.split()[1].partition(".")[0])
    values = {}
    exec(code, values)
    assert len(values["samples"]) == 1
