"""A judge for scripts in the style of other tools."""

import pytest

import ragauge as rg


def support(*flags):
    return {
        "verdicts": [
            {"claim": place, "reason": "r", "supported": flag, "context": 0, "quote": ""}
            for place, flag in enumerate(flags, 1)
        ]
    }


def replied(request):
    """A claim in each sentence, of which the first is supported; the second context is relevant; grade 1."""
    text = request.messages[-1].content
    n_sentences = 2 if "French" in text else 1
    replies = {
        "claims": {
            "sentences": [
                {"sentence": place, "claims": [f"claim {place}"], "claim_free": False}
                for place in range(1, n_sentences + 1)
            ]
        },
        "support": support(True, False) if "claim 2" in text else support(True),
        "relevance": {
            "verdicts": [
                {"context": place, "reason": "r", "relevant": place == 2} for place in (1, 2)
            ]
        },
        "questions": {
            "questions": [
                {"question": text, "noncommittal": False}
                for text in ("Who won two prizes?", "Who won 2 prizes?", "Who won prizes?")
            ]
        },
        "g_eval_steps": {"steps": ["Read."]},
        "g_eval": {"reason": "It is so.", "score": 1},
    }
    return replies[request.prompt]


@pytest.fixture
def judge():
    return rg.ScriptedJudge(replied)


@pytest.fixture
def reply():
    """What that judge says to a request."""
    return replied
