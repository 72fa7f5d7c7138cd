"""Texts from outside, as they may be kept: without secrets, on one line, not too long."""

import base64
import os
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import cast
from urllib.parse import quote

from ragassay.text.normalise import visible

SHOWN = 300
_SHORTEST, _LONG = 4, 12
"""A value shorter than the first is no secret. Below the second it may be a common word: a tenant's name in an answer
is no leak."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|DSN", re.IGNORECASE)


class Redaction:
    """Knows secrets by the names of their variables, and keeps them out of what is told."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._forms = {
            form: name
            for name, value in secrets.items()
            if len(value.strip()) >= _SHORTEST
            for form in (
                value.strip(),
                quote(value.strip(), safe=""),
                base64.b64encode(value.strip().encode()).decode(),
            )
        }

    def __repr__(self) -> str:
        return f"Redaction({sorted(set(self._forms.values()))})"

    def told(self, text: str) -> str:
        """The text without secrets, safe to print, bounded."""
        for form in sorted(self._forms, key=len, reverse=True):
            text = text.replace(form, "…")
        return visible(text[: 2 * SHOWN])[:SHOWN]

    def leak(self, value: object) -> str | None:
        """The name of the variable whose value stands somewhere in a JSON value."""
        if isinstance(value, str):
            return next((name for form, name in self._forms.items() if len(form) >= _LONG and form in value), None)
        inner: Iterable[object] = ()
        if isinstance(value, dict):
            inner = chain.from_iterable(cast("dict[str, object]", value).items())
        elif isinstance(value, list):
            inner = cast("list[object]", value)
        return next((name for each in inner if (name := self.leak(each)) is not None), None)


def environment_secrets() -> dict[str, str]:
    """The variables of the environment that look like secrets."""
    return {name: value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= _LONG}
