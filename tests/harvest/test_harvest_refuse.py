from __future__ import annotations

from typing import get_args

import pytest

from trueup.facts.harvest.refuse import Reason, Refused
from trueup.report.say import LANGUAGES, say

PARAMS: dict[str, str | int | float] = {"member": "m", "size": 1, "detail": "d", "seconds": 1}


@pytest.mark.parametrize("reason", get_args(Reason))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_refusal_names_the_thing_and_a_next_step(reason: Reason, lang: str) -> None:
    refused = Refused(reason, "THING", **PARAMS)
    assert "THING" in say(refused.message, lang)
    assert refused.hint is not None
    assert say(refused.hint, lang)
