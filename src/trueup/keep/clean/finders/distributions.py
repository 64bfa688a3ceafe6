"""Broken packages: folders that pip renamed and left, records without content, one package twice."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.finders.made import Found, why
from trueup.keep.clean.tree import is_folder
from trueup.machine.host import path_of
from trueup.machine.inventory.places import user_site
from trueup.setup.files import long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene
    from trueup.machine.inventory.model import Environment, Package

PIP_AND_UV: Final = ("pip", "uv", "")
SYSTEM: Final = ("/usr/lib/", "/usr/local/lib/")


def leftovers(scene: Scene) -> Iterator[Found]:
    """Yield what pip renames while it uninstalls (`~ensorflow`) and leaves when it is stopped."""
    for path in dict.fromkeys(path for one in scene.environments for path in one.leftovers):
        name = path_of(scene.host).basename(path)
        sure = name.startswith("~") and _is_package(Path(path))
        reason = why("leftover" if sure else "leftover-maybe", name=name)
        yield Found("distribution", path, reason, "certain" if sure else "look", Path(path), "package")


def _is_package(path: Path) -> bool:
    """Tell by what is in it: pip renames packages, their records, and nothing else."""
    with suppress(OSError):
        if not is_folder(path.lstat()):
            return path.suffix in (".py", ".pyd", ".so", ".pth")
        marks = ("__init__.py", "METADATA", "RECORD", "INSTALLER", "PKG-INFO")
        return (
            any((path / mark).exists() for mark in marks)
            or any(path.glob("*.pyd"))
            or any(path.glob("*.dll"))
        )
    return False


def broken(scene: Scene) -> Iterator[Found]:
    """Yield records without content, and the older record where a package has two."""
    seen = set()
    for environment in scene.environments:
        for place in environment.places:
            if place in seen or place.startswith(SYSTEM):
                continue
            seen.add(place)
            yield from _of_place(scene, environment, place)


def _of_place(scene: Scene, environment: Environment, place: str) -> Iterator[Found]:
    conda = {one.name for one in environment.conda}
    by_name: dict[str, list[Package]] = {}
    for package in environment.packages:
        if (
            package.place == place
            and (package.folder or "").endswith(".dist-info")
            and package.name not in conda
        ):
            by_name.setdefault(package.name, []).append(package)
    for name, packages in by_name.items():
        hollow = [one for one in packages if _hollow(scene, one)]
        for one in hollow:
            yield _found(scene, one, "hollow", "likely")
        rest = [one for one in packages if one not in hollow]
        stale = _stale(rest) if len(rest) > 1 else ()
        for one in stale:
            others = ", ".join(other.version for other in rest if other not in stale)
            yield _found(scene, one, "twice", "likely", name=name, others=others)
        if len(rest) > 1 and not stale:
            for one in rest:
                others = ", ".join(other.version for other in rest if other is not one)
                yield _found(scene, one, "twice-unclear", "look", name=name, others=others)


def _found(scene: Scene, package: Package, reason: str, sure: str, **params: str) -> Found:
    path = scene.join(package.place, package.folder or "")
    params = {"name": package.name, "version": package.version, **params}
    return Found(
        "distribution",
        path,
        why(reason, **params),
        "look" if sure == "look" else "likely",
        Path(path),
        "package",
    )


def _hollow(scene: Scene, package: Package) -> bool:
    """Tell a record that pip cannot uninstall by: no RECORD, and installed by pip or uv, or no METADATA either."""
    folder = scene.join(package.place, package.folder or "")
    if not scene.gone(scene.join(folder, "RECORD")) or scene.gone(folder):
        return False
    if scene.gone(scene.join(folder, "METADATA")):
        return True
    installer = Path(folder, "INSTALLER")
    with suppress(OSError):
        return installer.read_text("utf-8", "replace").strip().lower() in PIP_AND_UV
    return False


def _stale(packages: list[Package]) -> tuple[Package, ...]:
    """Return the records whose files are not those on the disk, where just one record's files are."""
    right = [one for one in packages if _is_true(one)]
    return tuple(one for one in packages if one not in right) if len(right) == 1 else ()


def _is_true(package: Package) -> bool:
    place = long(Path(package.place))
    with suppress(OSError, csv.Error, ValueError):
        with (place / (package.folder or "") / "RECORD").open(
            encoding="utf-8", errors="replace", newline=""
        ) as lines:
            rows = [line for line in csv.reader(lines) if len(line) > 2 and line[2].isdigit()]
        own = [row for row in rows if not row[0].startswith((package.folder or "", ".."))]
        return bool(own) and all((place / row[0]).stat().st_size == int(row[2]) for row in own)
    return False


def shadows(scene: Scene) -> Iterator[Found]:
    """Yield packages of the user that come before an interpreter's own of the same name."""
    done = set()
    for environment in scene.environments:
        if environment.python.path is None:
            continue
        user = user_site(scene.host, environment.python.version, environment.python.bits)
        own = {one.name: one.version for one in environment.packages if one.place != user}
        both = [
            one
            for one in environment.packages
            if one.place == user and own.get(one.name, one.version) != one.version
        ]
        if both and environment.path not in done:
            done.add(environment.path)
            named = ", ".join(f"{one.name} {one.version} / {own[one.name]}" for one in both[:6])
            program = (
                f'"{environment.python.path}"' if " " in environment.python.path else environment.python.path
            )
            line = f"{program} -m pip uninstall " + " ".join(one.name for one in both)
            reason = why("shadow", env=environment.path, count=len(both), named=named)
            yield Found("shadow", f"{user} | {environment.path}", reason, "look", steps=(line,))
