"""deepeval's test cases."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ragauge.compat import refusing


class SingleTurnParams(Enum):
    """The fields that `GEval` may show its judge; others are not covered."""

    INPUT = "input"
    ACTUAL_OUTPUT = "actual_output"
    EXPECTED_OUTPUT = "expected_output"
    CONTEXT = "context"
    RETRIEVAL_CONTEXT = "retrieval_context"
    METADATA = "metadata"
    TOOLS_CALLED = "tools_called"
    EXPECTED_TOOLS = "expected_tools"


LLMTestCaseParams = SingleTurnParams


@dataclass
class ToolCall:
    """A call of a tool. `input_parameters` are not compared, as deepeval does not by default."""

    name: str
    description: str | None = None
    reasoning: str | None = None
    output: Any = None
    input_parameters: dict[str, Any] | None = None


@dataclass
class LLMTestCase:
    """One question with its answer: fields as in deepeval 4. Conversations and images are not covered."""

    input: str
    actual_output: str | None = None
    expected_output: str | None = None
    context: list[str] | None = None
    retrieval_context: list[str] | None = None
    tools_called: list[ToolCall] | None = None
    expected_tools: list[ToolCall] | None = None
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    comments: str | None = None
    token_cost: float | None = None
    completion_time: float | None = None
    name: str | None = None
    tags: list[str] | None = None

    def row(self, contexts: list[str] | None) -> dict[str, object]:
        """The case in ragauge's field names, with these contexts."""
        row: dict[str, object] = {
            "question": self.input,
            "answer": self.actual_output,
            "references": self.expected_output,
            "contexts": contexts,
        }
        if self.expected_tools is not None and self.tools_called is not None:
            arguments = [(tool.name, tool.input_parameters or {}) for tool in self.tools_called]
            calls = [{"name": name, "arguments": given} for name, given in arguments]
            answer = {"role": "assistant", "content": self.actual_output, "tool_calls": calls}
            row["messages"] = [{"role": "user", "content": self.input}, answer]
            row["expected_calls"] = [{"name": tool.name} for tool in self.expected_tools]
        return row


__getattr__ = refusing("deepeval")
