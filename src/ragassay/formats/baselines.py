"""Named baselines: runs that are pinned in the repository, every version of a name with its reason.

`ragassay-baselines/NAME-VERSION/` is a copy of the run; `NAME-VERSION.json` beside it says what it is and pins every
byte of it. Nothing here is ever written over: a name that is set again gets another version.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.folder import is_file
from ragassay.formats.runs import RUN, StoredRun, write_run
from ragassay.records import Fault, FaultyInput

PLACE = Path("ragassay-baselines")
FIRST = "the first version"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_VERSIONED = re.compile(r"(?P<name>.+)@(?P<version>[0-9]{1,6})")


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One version of a name. `content` is the hash over `files` (name in the folder → `sha256:…`).

    Its run, dataset and metric versions are those of the pinned run; `pinned` is when, in UTC, and `reason` why.
    """

    name: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    run: str
    content: str
    dataset: str
    dataset_version: str
    dataset_hash: str
    metrics: tuple[str, ...]
    reason: str
    pinned: datetime
    files: dict[str, str]

    @property
    def title(self) -> str:
        """`release@2`: the name under which this version can always be had."""
        return f"{self.name}@{self.version}"

    @property
    def folder(self) -> Path:
        return PLACE / f"{self.name}-{self.version}"


def read_baselines() -> tuple[Baseline, ...]:
    """Every version of every name, sorted; none where nothing was pinned.

    Raises `FaultyInput` where one cannot be read, or an earlier version is gone.
    """
    faults: list[Fault] = []
    found: list[Baseline] = []
    for path in sorted(PLACE.glob("*.json")):
        try:
            pin = msgspec.json.decode(path.read_bytes(), type=Baseline)
        except (OSError, msgspec.MsgspecError) as error:
            faults.append(_damaged(path, str(error)))
            continue
        if path.name == f"{pin.name}-{pin.version}.json":
            found.append(pin)
        else:
            faults.append(_damaged(path, f"it says that it is {pin.title}"))
    if not faults:
        faults.extend(_gaps(found))
    if faults:
        raise FaultyInput(faults)
    return tuple(sorted(found, key=lambda pin: (pin.name, pin.version)))


def pin_run(name: str, stored: StoredRun, reason: str | None, now: datetime) -> Baseline:
    """Copy a run and pin it as the next version of a name; `now` is aware of its zone.

    Raises `FaultyInput` where the name cannot be one, is set again without a reason, or stands for this very run.
    """
    earlier = [pin for pin in read_baselines() if pin.name == name]
    faults = [*_bad_name(name), *_bad_reason(reason, earlier)]
    if faults:
        raise FaultyInput(faults)
    PLACE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=PLACE, prefix=".") as temporary:
        copy = Path(temporary) / "run"
        write_run(copy, stored, {})
        files = _hashes(copy)
        pin = _pin(name, len(earlier) + 1, stored, reason or FIRST, now, files)
        if earlier and earlier[-1].content == pin.content:
            raise FaultyInput([_unchanged(earlier[-1])])
        if pin.folder.exists():
            raise FaultyInput([_left_over(pin.folder)])
        copy.rename(pin.folder)
    replace_file(PLACE / ".gitattributes", b"* -text\n")
    replace_file(PLACE / f"{pin.folder.name}.json", msgspec.json.format(msgspec.json.encode(pin), indent=1))
    return pin


def named_folder(run: str) -> Path | None:
    """The folder of a run that is named by its folder, as a baseline (`release`: its last version) or as a version of
    one (`release@1`); None where it is neither.

    Raises `FaultyInput` where it is both, or where the pinned run is not the one that was pinned any more.
    """
    pin = _chosen(run, read_baselines())
    is_run = is_file(Path(run) / RUN)
    if pin is None:
        return Path(run) if is_run else None
    if is_run:
        raise FaultyInput([_ambiguous(run, pin)])
    faults = list(_changed(pin))
    if faults:
        raise FaultyInput(faults)
    return pin.folder


def _chosen(run: str, pins: Sequence[Baseline]) -> Baseline | None:
    named = [pin for pin in pins if pin.name == run]
    if named:
        return named[-1]
    parts = _VERSIONED.fullmatch(run)
    if parts is None:
        return None
    versions = {pin.version: pin for pin in pins if pin.name == parts["name"]}
    if versions and int(parts["version"]) not in versions:
        raise FaultyInput([_no_version(run, max(versions))])
    return versions.get(int(parts["version"]))


def _pin(name: str, version: int, stored: StoredRun, reason: str, now: datetime, files: dict[str, str]) -> Baseline:
    card = stored.run.card
    return Baseline(
        name=name,
        version=version,
        run=stored.run.id,
        content=_content(files),
        dataset=card.dataset,
        dataset_version=card.dataset_version,
        dataset_hash=card.dataset_hash,
        metrics=card.metrics,
        reason=reason,
        pinned=now,
        files=files,
    )


def _hashes(folder: Path) -> dict[str, str]:
    """The hash of every file by its name in the folder; hidden ones, as file managers leave them, are no part of it."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: f"sha256:{sha256(paths[name].read_bytes()).hexdigest()}"
        for name in sorted(paths)
        if not paths[name].name.startswith(".")
    }


def _content(files: Mapping[str, str]) -> str:
    listed = msgspec.json.encode(dict(files), order="sorted")
    return f"sha256:{sha256(listed).hexdigest()}"


def _changed(pin: Baseline) -> Iterator[Fault]:
    """What makes the run another one than was pinned, file by file."""
    present = _hashes(pin.folder)
    names = sorted(pin.files.keys() | present.keys())
    differing = [name for name in names if pin.files.get(name) != present.get(name)]
    for name in differing:
        how = "is missing" if name not in present else "was added" if name not in pin.files else "was changed"
        yield _another_run(pin, f"a file of the baseline {pin.title} {how}", pin.folder / name)
    if not differing and _content(present) != pin.content:
        yield _another_run(pin, f"the baseline {pin.title} pins another content", pin.folder)


def _gaps(pins: Sequence[Baseline]) -> Iterator[Fault]:
    """The first version of each name that is missing before a later one."""
    versions: dict[str, set[int]] = {}
    for pin in pins:
        versions.setdefault(pin.name, set()).add(pin.version)
    for name, known in sorted(versions.items()):
        first = next(version for version in count(1) if version not in known)
        if first < max(known):
            yield Fault(
                code="baseline_gone",
                message=f"version {first} of the baseline {name} is gone; no version is ever removed",
                file=str(PLACE / f"{name}-{first}.json"),
                remedy="restore the file from the history of the repository",
            )


def _bad_name(name: str) -> Iterator[Fault]:
    if not _NAME.fullmatch(name) or name != unicodedata.normalize("NFC", name).casefold():
        yield Fault(
            code="bad_name",
            message="a baseline cannot have this name: it becomes the name of a folder, the same on every system",
            field="name",
            value=name,
            expected="small letters and digits of any script, then also . _ -, 64 characters at most, as in `release`",
        )


def _bad_reason(reason: str | None, earlier: Sequence[Baseline]) -> Iterator[Fault]:
    if reason is not None and not reason.strip():
        yield Fault(code="no_reason", message="the reason is empty", field="--reason")
    elif reason is None and earlier:
        last = earlier[-1]
        yield Fault(
            code="no_reason",
            message=f"this baseline is set already: {last.title} is run {last.run}, since {last.pinned:%Y-%m-%d}",
            field="--reason",
            remedy=f"say with --reason why version {last.version + 1} takes its place; version {last.version} stays",
        )


def _unchanged(last: Baseline) -> Fault:
    return Fault(code="baseline_unchanged", message=f"{last.title} is this very run already", value=last.run)


def _left_over(folder: Path) -> Fault:
    return Fault(
        code="baseline_left_over",
        message="the folder of the next version is there, and nothing says what it is: it was never pinned",
        file=str(folder),
        remedy="remove it, or restore the .json beside it from the history of the repository",
    )


def _no_version(run: str, last: int) -> Fault:
    return Fault(
        code="unknown_baseline",
        message="this baseline has no such version",
        value=run,
        expected=f"a version from 1 to {last}",
        remedy="`ragassay baseline list` shows them",
    )


def _ambiguous(run: str, pin: Baseline) -> Fault:
    return Fault(
        code="ambiguous_run",
        message="both a run folder and a baseline have this name",
        value=run,
        remedy=f"write ./{run} for the folder or {pin.title} for the baseline",
    )


def _another_run(pin: Baseline, message: str, path: Path) -> Fault:
    return Fault(
        code="baseline_changed",
        message=f"{message}: this is not run {pin.run} as it was pinned on {pin.pinned:%Y-%m-%d}",
        file=str(path),
        remedy="restore the folder from the history of the repository, or pin a new version with a reason",
    )


def _damaged(path: Path, found: str) -> Fault:
    return Fault(
        code="baseline_damaged",
        message="this baseline cannot be read",
        file=str(path),
        value=found.splitlines()[0] if found else None,
        remedy="restore the file from the history of the repository",
    )
