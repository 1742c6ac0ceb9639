"""A judge by rules: it reads the texts out of our prompts and answers each by the words they share.

Its claims are one a sentence, so that what it will be asked can be told beforehand.
"""

import json
import re

BLOCK = re.compile(r"^<(\w+) id=(\w+)>\n(.*?)^</\1 id=\2>$", re.MULTILINE | re.DOTALL)
CRITERIA = ("correctness", "completeness", "consistency")


def samples(n):
    """n questions with answers of two sentences."""
    return [
        {
            "id": f"q{at}",
            "question": f"What is the fee of tier {at}?",
            "answer": f"The fee of tier {at} is ${at * 7}. Dogs of kind {at} pay nothing.",
            "references": [f"Tier {at} costs ${at * 7}."],
            "contexts": [f"The fee of tier {at} is ${at * 7}.", f"It rains on day {at}."],
        }
        for at in range(n)
    ]


def script(request):
    """The reply to a request, for ScriptedJudge."""
    return reply(request.prompt, request.messages[1].content)


async def judge(request):
    """The same as an async function."""
    return json.dumps(script(request))


def reply(prompt, text):
    """The reply to a prompt's text, as JSON data."""
    told = blocks(text)
    return REPLIES[prompt](told)


def blocks(text):
    """The texts in a prompt by name, each a list."""
    found = {}
    for name, nonce, body in BLOCK.findall(text):
        items = re.split(rf"^\[\d+ id={nonce}\]\n", body, flags=re.MULTILINE)
        found[name] = [one.rstrip("\n") for one in items[1:] or items]
    return found


def overlap(left, right):
    """The share of the left words that are on the right too."""
    ours, theirs = (set(re.findall(r"\w+", text.lower())) for text in (left, right))
    return len(ours & theirs) / max(1, len(ours))


def supported(claim, contexts):
    at = max(range(len(contexts)), key=lambda place: overlap(claim, contexts[place]))
    holds = overlap(claim, contexts[at]) >= 0.7
    quote = contexts[at][:20] if holds else ""
    return {"reason": "words", "supported": holds, "context": holds * (at + 1), "quote": quote}


def graded(told):
    return round(100 * overlap(told["reference"][0], told["answer"][0]))


def is_right(told):
    references = told.get("references") or told["reference"]
    return max(overlap(one, told["answer"][0]) for one in references) >= 0.5


REPLIES = {
    "claims": lambda told: {
        "sentences": [
            {"sentence": at, "claims": [one.strip()], "claim_free": False}
            for at, one in enumerate(told["sentences"], 1)
        ]
    },
    "support": lambda told: {
        "verdicts": [
            {"claim": at, **supported(one, told["contexts"])}
            for at, one in enumerate(told["claims"], 1)
        ]
    },
    "relevance": lambda told: {
        "verdicts": [
            {"context": at, "reason": "words", "relevant": overlap(told["question"][0], one) > 0.3}
            for at, one in enumerate(told["contexts"], 1)
        ]
    },
    "questions": lambda told: {
        "questions": [
            {"question": f"{word} {told['answer'][0][:60]}?", "noncommittal": False}
            for word in ("What of", "Who says", "Why")
        ]
    },
    "rubric": lambda _: {"reason": "words", "score": 0.5},
    "accuracy": lambda told: {
        name: {"reason": "words", "score": graded(told)} for name in CRITERIA
    },
    "verdict": lambda told: {
        "reason": "words",
        "verdict": "CORRECT" if is_right(told) else "WRONG",
    },
    "criteria": lambda told: {
        "criteria": [
            {"criterion": at, "reason": "words", "verdict": "met" if is_right(told) else "not met"}
            for at in range(1, 6)
        ]
    },
    "g_eval_steps": lambda _: {"steps": ["Read.", "Grade."]},
    "g_eval": lambda _: {"reason": "words", "score": 3},
}
