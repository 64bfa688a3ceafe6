"""PyCharm: the interpreters are in the program's own list; a project names one of them.

Where that list already holds the environment, its name is put into the project. Where it does not, only PyCharm
can add it: the way there is told, click by click.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import quoteattr

from trueup.keep.connect.model import Connection, Edit, content, needed, text_of
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.keep.connect.model import Surroundings, Target

TABLE: Final = "options/jdk.table.xml"
PRODUCTS: Final = ("PyCharm*", "IntelliJIdea*", "IdeaIC*", "DataSpell*")
TYPE: Final = "Python SDK"
_ROOT = re.compile(r'<component\b[^>]*\bname="ProjectRootManager"[^>]*>')
_ENTRY = re.compile(r'<orderEntry\b[^>]*\btype="jdk"[^>]*>')


def connect(target: Target, project: Path, around: Surroundings) -> Connection:
    """Return what makes a project of PyCharm use the environment. Raises TrueupError."""
    project = project.absolute()
    if not project.is_dir():
        raise TrueupError(
            Message("connect.no-project", {"path": str(project)}), Message("connect.no-project-hint")
        )
    clicks = (
        Message("connect.pycharm-open", {"folder": str(project)}),
        Message("connect.pycharm-settings"),
        Message("connect.pycharm-existing", {"python": str(target.python)}),
    )
    now = current(project)
    notes = (Message("connect.pycharm-now", {"name": now}),) if now else ()
    known = next((name for table in tables(around) for name in names_of(table, target, around)), None)
    if known is None:
        return Connection("pycharm", (), clicks, (*notes, Message("connect.pycharm-outside")))
    edits = needed(_edits(project, known))
    if now is None:
        return Connection("pycharm", (), clicks, notes)
    step = Message("connect.pycharm-reload" if edits else "connect.pycharm-done", {"name": known})
    return Connection("pycharm", edits, (step,), notes)


def current(project: Path) -> str | None:
    """Return the name of the interpreter that the project names."""
    file = project / ".idea" / "misc.xml"
    found = _ROOT.search(text_of(file, content(file)))
    name = re.search(r'\bproject-jdk-name="([^"]*)"', found[0]) if found else None
    return name[1] if name else None


def tables(around: Surroundings) -> Iterator[Path]:
    """Yield the lists of interpreters of the JetBrains programs of this user, the newest program first."""
    roaming, config = around.env.get("APPDATA"), around.env.get("XDG_CONFIG_HOME")
    if around.platform == "win32":
        base = Path(roaming) if roaming else around.home / "AppData" / "Roaming"
    elif around.platform == "darwin":
        base = around.home / "Library" / "Application Support"
    else:
        base = Path(config) if config else around.home / ".config"
    for pattern in PRODUCTS:
        yield from sorted((base / "JetBrains").glob(f"{pattern}/{TABLE}"), reverse=True)


def names_of(table: Path, target: Target, around: Surroundings) -> Iterator[str]:
    """Yield the names under which a list holds the environment's interpreter."""
    try:
        root = ET.fromstring(table.read_bytes())  # noqa: S314  # the user's own file, of a program that they run
    except (OSError, ET.ParseError):
        return
    for jdk in root.iter("jdk"):
        values = {
            tag: one.get("value", "")
            for tag in ("name", "type", "homePath")
            if (one := jdk.find(tag)) is not None
        }
        place = values.get("homePath", "").replace("$USER_HOME$", str(around.home))
        if values.get("type") == TYPE and place and _same(place, target.python):
            yield values.get("name", "")


def _same(place: str, python: Path) -> bool:
    return os.path.normcase(os.path.normpath(place)) == os.path.normcase(os.path.normpath(python))


def _edits(project: Path, name: str) -> Iterable[Edit]:
    files = [project / ".idea" / "misc.xml", *sorted((project / ".idea").glob("*.iml"))]
    for file in files:
        before = content(file)
        if before is None:
            continue
        text = text_of(file, before)
        text = _ROOT.sub(lambda tag: _named(tag[0], "project-jdk-name", "project-jdk-type", name), text)
        text = _ENTRY.sub(lambda tag: _named(tag[0], "jdkName", "jdkType", name), text)
        yield Edit(file, before, text.encode("utf-8"))


def _named(tag: str, name_key: str, type_key: str, name: str) -> str:
    """Return a tag with the name and type of an interpreter; other attributes stay."""
    for key, value in ((name_key, name), (type_key, TYPE)):
        if found := re.search(rf'\b{key}="[^"]*"', tag):
            tag = f"{tag[: found.start()]}{key}={quoteattr(value)}{tag[found.end() :]}"
    return tag
