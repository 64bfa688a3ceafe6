"""`trueup clean`: lists what earlier installations left; on wish moves it to a dated trash, which `undo` empties back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session
    from trueup.keep.clean.find import Listed
    from trueup.keep.clean.model import Item
    from trueup.keep.clean.scene import Scene


@click.command("clean", cls=SayCommand, help="clean.help")
@click.argument("names", nargs=-1, metavar="[ITEM]...")
@click.option("--all", "everything", cls=SayOption, is_flag=True, help="clean.help-all")
@click.option("--apply", "wanted", cls=SayOption, is_flag=True, help="clean.help-apply")
@click.option("--empty-trash", cls=SayOption, is_flag=True, help="clean.help-empty-trash")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="clean.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="clean.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    names: tuple[str, ...],
    everything: bool,
    wanted: bool,
    empty_trash: bool,
    yes: bool,
    as_json: bool,
) -> int:
    if empty_trash:
        if names or everything or wanted:
            raise TrueupError(Message("clean.trash-alone"), Message("clean.trash-alone-hint"))
        return _empty(session, yes=yes, as_json=as_json)
    if wanted and not names and not everything:
        raise TrueupError(Message("clean.apply-what"), Message("clean.apply-what-hint"))
    if names and everything:
        raise TrueupError(Message("clean.names-or-all"), Message("clean.names-or-all-hint"))
    from trueup.keep.clean.find import find

    scene = _scene()
    listed = find(scene)
    if not wanted:
        return _show(session, listed, names, as_json=as_json)
    chosen = _chosen(listed.items, names) if names else [item for item in listed.items if item.offered]
    return _apply(session, scene, chosen, yes=yes, as_json=as_json)


def _scene() -> Scene:
    from trueup.cli.places import changes_store, data_folder
    from trueup.keep.clean.scene import read_scene
    from trueup.keep.pathvar.change import value_kinds
    from trueup.keep.pathvar.view import read_view
    from trueup.machine.host import this_host

    host = this_host()
    view = read_view(host, (), value_kinds())
    try:
        folder = Path.cwd()
    except OSError:  # somebody removed it
        folder = Path.home()
    return read_scene(host, folder, data_folder(), changes_store(), view)


def _show(session: Session, listed: Listed, names: tuple[str, ...], *, as_json: bool) -> int:
    from trueup.report.clean import as_data, list_text

    items = _chosen(listed.items, names) if names else listed.items
    if as_json:
        session.out_json(as_data("list", items, failed=listed.failed))
    else:
        session.out(list_text(items, listed.failed, session.lang))
    return 0


def _chosen(items: Sequence[Item], names: Sequence[str]) -> list[Item]:
    """Return the items by their handle or their whole name."""
    chosen: dict[str, Item] = {}
    for name in names:
        found = [item for item in items if name in (item.handle, item.name)]
        if not found:
            raise _unknown(items, name)
        chosen |= {item.handle: item for item in found}
    return list(chosen.values())


def _unknown(items: Sequence[Item], name: str) -> TrueupError:
    import difflib

    near = difflib.get_close_matches(name, [item.handle for item in items], n=3, cutoff=0.4)
    hint = Message("cli.did-you-mean", {"names": ", ".join(near)}) if near else Message("clean.see-list")
    return TrueupError(Message("clean.no-such-item", {"name": name}), hint)


def _apply(session: Session, scene: Scene, chosen: Sequence[Item], *, yes: bool, as_json: bool) -> int:
    from trueup.keep.clean.apply import take
    from trueup.keep.clean.model import Done, Left
    from trueup.report.clean import as_data, done_text, plan_text

    doable = [item for item in chosen if item.doable]
    refused = tuple(Left(item, _reason(item)) for item in chosen if not item.doable)
    if not as_json:
        session.out(plan_text(doable, refused, session.lang))
    if not doable:
        if as_json:
            session.out_json(as_data("nothing", chosen, Done((), refused)))
        return 1 if refused else 0
    if not yes and not _agreed(session, "clean.ask", as_json=as_json):
        session.out(session.text("clean.declined"))
        return 1
    done = take(scene, doable)
    done = Done(done.taken, (*done.left, *refused))
    if as_json:
        session.out_json(as_data("applied", chosen, done))
    else:
        session.out(done_text(done, session.lang))
    return 1 if done.left else 0


def _reason(item: Item) -> Message:
    hard = next((one.message for one in item.against if one.hard), None)
    return hard or Message("clean.by-hand")


def _empty(session: Session, *, yes: bool, as_json: bool) -> int:
    """Remove for good what lies in the trash: the only thing here that cannot be undone."""
    from trueup.cli.places import changes_store
    from trueup.keep.clean.trash import destroy, trashed
    from trueup.report.clean import trash_data, trash_text

    found = trashed(changes_store().records())
    if not as_json:
        session.out(trash_text(found, session.lang))
    if not found:
        if as_json:
            session.out_json(trash_data("nothing", found, {}))
        return 0
    if not yes and not _agreed(session, "clean.ask-trash", as_json=as_json):
        session.out(session.text("clean.declined"))
        return 1
    failed = {str(one.path): why for one in found if (why := destroy(one.path)) is not None}
    if as_json:
        session.out_json(trash_data("emptied", found, failed))
    else:
        for path, text in failed.items():
            session.out(session.text("clean.trash-left", path=path, why=text))
        session.out(session.text("clean.emptied", count=len(found) - len(failed)))
    return 1 if failed else 0


def _agreed(session: Session, question: str, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("clean.needs-yes"), Message("clean.needs-yes-hint"))
    return agreed(session, question, nobody, as_json=as_json)
