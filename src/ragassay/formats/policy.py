"""A policy in TOML, and the presets from which one may start.

A preset is a policy file that comes with the package. A policy that names one adds its own gates; a gate of the preset
stays where the policy has none for the same metric on the same slice.
"""

import math
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, cast

import msgspec

from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.reading import Reading, near_miss, shown
from ragassay.metrics.definition import Choice
from ragassay.metrics.dictionary import find
from ragassay.records import Gate, Policy

PRESETS = ("dashboard", "strict", "russian-practice")
_KEYS = {field.name: field.type for field in msgspec.structs.fields(Policy)}
_GATE_KEYS = tuple(field.name for field in msgspec.structs.fields(Gate))
_LIMITS = ("at_least", "at_most", "target", "no_worse_by")
_SLICE = re.compile(r"[^=\s][^=]*=.+")


def load_policy(policy: str | Path) -> Policy:
    """The policy of a file, or a preset by its name. Raises `FaultyInput` with everything that is wrong at once."""
    if str(policy) in PRESETS and not Path(policy).exists():
        return _preset(str(policy))
    reading = Reading(Path(policy).name)
    text, _ = decode(read_bytes(Path(policy), reading), reading)
    return _read(text, reading)


def _preset(name: str) -> Policy:
    text = resources.files("ragassay.formats").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.structs.replace(_read(text, Reading(f"{name}.toml")), preset=name)


def _read(text: str, reading: Reading) -> Policy:
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise reading.stop("broken_toml", f"broken TOML: {error}", remedy="mend the line") from None
    values: dict[str, Any] = {}
    for key, value in given.items():
        reading.line = _line_of(key, text)
        if key not in _KEYS:
            reading.unknown_key(key, tuple(_KEYS))
        elif key == "gates":
            values[key] = _gates(value, text, reading)
        else:
            _take(values, key, value, reading)
    reading.line = None
    if "name" not in given:
        reading.fault("missing_key", "a policy has a name", field="name", remedy='add name = "…"')
    _check(values, reading)
    reading.raise_faults()
    return _completed(Policy(**values))


def _completed(policy: Policy) -> Policy:
    """The policy with the gates of its preset that it does not replace."""
    if policy.preset is None:
        return policy
    own = {(find(gate.metric).id, gate.slice) for gate in policy.gates}
    kept = [gate for gate in _preset(policy.preset).gates if (find(gate.metric).id, gate.slice) not in own]
    return msgspec.structs.replace(policy, gates=(*policy.gates, *kept))


def _take(values: dict[str, Any], key: str, value: object, reading: Reading) -> None:
    try:
        values[key] = msgspec.convert(value, _KEYS[key])
    except msgspec.ValidationError as error:
        reading.fault("bad_value", "unusable value", field=key, value=shown(value), expected=str(error))


def _gates(value: object, text: str, reading: Reading) -> tuple[Gate, ...]:
    items = cast("list[object]", value if isinstance(value, list) else [value])
    places = [text.count("\n", 0, match.start()) + 1 for match in re.finditer(r"^\s*\[\[\s*gates", text, re.MULTILINE)]
    gates: list[Gate] = []
    for place, item in enumerate(items):
        reading.line = places[place] if len(places) == len(items) else reading.line
        gate = _gate(item, f"gates[{place}]", reading)
        if gate is not None and any(_asks(gate) == _asks(other) for other in gates):
            reading.fault("repeated_gate", "two gates ask the same", field=f"gates[{place}]", value=shown(gate.metric))
        gates += [gate] if gate is not None else []
    return tuple(gates)


def _asks(gate: Gate) -> tuple[str, str | None, bool]:
    return gate.metric, gate.slice, gate.no_worse_by is None


def _gate(item: object, path: str, reading: Reading) -> Gate | None:
    table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
    before = len(reading.faults)
    for key in table:
        if key not in _GATE_KEYS:
            reading.unknown_key(key, _GATE_KEYS, f"{path}.")
    try:
        gate = msgspec.convert(item, Gate)
    except msgspec.ValidationError as error:
        reading.fault("bad_value", "unusable gate", field=path, value=shown(table), expected=str(error))
        return None
    try:
        _check_limits(gate, find(gate.metric), path, reading)
    except ValueError as error:
        reading.fault("unknown_metric", str(error), field=f"{path}.metric", value=shown(gate.metric))
    if gate.slice is not None and not _SLICE.fullmatch(gate.slice):
        expected = "an axis and a value, such as language=ru or slice=table"
        reading.fault("bad_value", "unusable value", field=f"{path}.slice", value=shown(gate.slice), expected=expected)
    return gate if len(reading.faults) == before else None


def _check_limits(gate: Gate, choice: Choice, path: str, reading: Reading) -> None:
    """Faults for thresholds that contradict each other, the direction of the metric, or what values it can have."""
    given = {name: getattr(gate, name) for name in _LIMITS if getattr(gate, name) is not None}
    higher = choice.metric.direction == "higher"
    fits, other = ("at_least", "at_most") if higher else ("at_most", "at_least")
    if not given:
        remedy = "list it in require if being measured is enough"
        reading.fault(
            "no_threshold", "a gate without a threshold", field=path, expected=f"{fits} or target", remedy=remedy
        )
    if other in given:
        better = "more" if higher else "less"
        message = f"{gate.metric} is a metric of which {better} is better, so that this gate would reward failure"
        reading.fault("wrong_direction", message, field=f"{path}.{other}", remedy=f"write {fits}")
    if "no_worse_by" in given and len(given) > 1:
        remedy = "write two gates"
        reading.fault(
            "two_gates", "a threshold and a margin against the baseline in one gate", field=path, remedy=remedy
        )
    for name, value in given.items():
        low, high = (0.0, None) if name == "no_worse_by" else choice.metric.bounds
        if not math.isfinite(value) or value < low or (high is not None and value > high):
            expected = f"{low:g} or more" if high is None else f"{low:g} to {high:g}; for 80 % write 0.8"
            reading.fault(
                "out_of_bounds", "impossible value", field=f"{path}.{name}", value=shown(value), expected=expected
            )
    target, limit = given.get("target"), given.get(fits)
    if target is not None and limit is not None and (target < limit if higher else target > limit):
        expected = f"a target that reaches {fits} = {limit:g}"
        reading.fault(
            "target_below_gate", "the target asks less than the gate", field=f"{path}.target", expected=expected
        )


def _check(values: dict[str, Any], reading: Reading) -> None:
    """Faults between keys and in their ranges."""
    for key, is_open in (("coverage", False), ("level", True)):
        share = values.get(key, 0.5)
        if not (0 < share < 1 if is_open else 0 <= share <= 1):
            expected = "a share between 0 and 1; for 95 % write 0.95"
            reading.fault("out_of_bounds", "impossible value", field=key, value=shown(share), expected=expected)
    preset = values.get("preset")
    if preset is not None and preset not in PRESETS:
        meant = near_miss(preset, PRESETS)
        remedy = f"did you mean {meant}?" if meant else None
        expected = f"one of {', '.join(PRESETS)}"
        reading.fault(
            "unknown_preset", "no such preset", field="preset", value=shown(preset), expected=expected, remedy=remedy
        )
    for metric in values.get("require", ()):
        try:
            find(metric)
        except ValueError as error:
            reading.fault("unknown_metric", str(error), field="require", value=shown(metric))
    stages = values.get("stages", ())
    if len(set(stages)) != len(stages):
        reading.fault("repeated_stage", "a stage is named twice", field="stages", value=shown(stages))
    for gate in values.get("gates", ()):
        if gate.stage is not None and gate.stage not in stages:
            expected = f"one of {', '.join(stages)}" if stages else "a stage that `stages` lists"
            reading.fault("unknown_stage", f"{gate.metric}: no such stage", value=shown(gate.stage), expected=expected)


def _line_of(key: str, text: str) -> int | None:
    found = re.search(rf'^\s*\[*\s*"?{re.escape(key)}"?\s*(?:=|\]|\.)', text, re.MULTILINE)
    return text.count("\n", 0, found.end()) + 1 if found else None
