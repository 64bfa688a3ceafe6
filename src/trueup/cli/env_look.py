"""What is wrong in one environment, and what would mend it there: asked by `trueup env check` and `trueup env repair`."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from trueup.cli.env import half_here
from trueup.cli.places import load
from trueup.diagnose.mend.inside import OF_PACKAGE, Looked, refusals
from trueup.keep.clean.tree import is_junction
from trueup.keep.envs.content import conda_records, inside, owners, read_content
from trueup.keep.envs.faults import read_faults
from trueup.keep.envs.mending import Plan, Seen, plan
from trueup.keep.envs.places import prefixes, tool_of
from trueup.machine.host import this_host
from trueup.machine.survey import read_survey
from trueup.setup.changes import census
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.keep.envs.mending import Target
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Survey
    from trueup.setup.conda import Program


def look(env: str) -> Looked:
    """Read an environment of this machine, by its folder or its name. Raises TrueupError where there is none."""
    host = this_host()
    folder = _folder(host, env)
    found, half = look_at(host, folder, local=True), _is_half(folder)
    if found is None:
        hint = Message("repair.half", {"path": folder}) if half else Message("repair.name-one")
        raise TrueupError(Message("check.no-environment", {"path": env}), hint)
    return replace(found, half=half)


def _is_half(folder: str) -> bool:
    """Ask the folder's mark too: the journal may be that of another user."""
    told = census.mark(Path(folder))
    return told.get("stage") == "begun" or bool({folder, os.path.realpath(folder)} & half_here())


def _folder(host: Host, env: str) -> str:
    """Return the folder; a bare name that is none here may be that of an environment that a tool keeps elsewhere."""
    here = Path(env).absolute()
    if here.exists() or here.name != env:
        return str(_behind(here))
    named = [path for path, _ in prefixes(host) if Path(path).name == env]
    return named[0] if len(set(named)) == 1 else str(here)


def _behind(path: Path) -> Path:
    """Return the folder that a link stands for: a repair puts aside a folder, and what leads to it stays."""
    try:
        state = path.lstat()
    except OSError:
        return path
    return path.resolve() if stat.S_ISLNK(state.st_mode) or is_junction(state) else path


def look_at(host: Host, env: str, *, local: bool) -> Looked | None:
    """Read an environment; None where there is none. `local`: it is this machine's, whose binaries can be read."""
    survey = read_survey(host, env_dir=env)
    found = survey.environments if isinstance(survey.environments, tuple) else ()
    environment = next((one for one in found if "folder" in one.found_by), None)
    if environment is None:
        return None
    content = read_content(host, environment)
    faults = read_faults(host, environment, content)
    seen = Seen(environment, content, faults, _owned(host, environment))
    tool = tool_of(host, environment.path) or environment.kind
    return Looked(seen, survey, _checkups(host, survey, environment, local=local), tool)


def _checkups(host: Host, survey: Survey, environment: Environment, *, local: bool) -> tuple[Checkup, ...]:
    from trueup.cli.env import judged
    from trueup.diagnose.findings import check

    if environment.builds:
        return judged(host, survey, environment, local=local)
    alone = replace(survey, environments=(environment,))
    return (check(alone, load(), env=environment.path),)


def _owned(host: Host, environment: Environment) -> dict[str, str]:
    records, _ = conda_records(host, environment.path)
    by_place = owners(records)
    rows = ((p.name, inside(host, environment.path, p)) for p in environment.packages)
    return {name: by_place[below.lower()] for name, below in rows if below and below.lower() in by_place}


def planned(session: Session, looked: Looked) -> tuple[Plan, Target | None]:
    """Decide what would be done. Asks the index where packages are to come."""
    against = refusals(looked)
    if against:
        return Plan((), (), (), against), None
    wrong = frozenset(
        canonicalize_name(str(f.text.params["name"])) for f in looked.fixable if f.id in OF_PACKAGE
    )
    shadowed = {one.name for one in looked.seen.faults.shadows}
    back = bool(wrong) and wrong <= shadowed and all(f.id in OF_PACKAGE for f in looked.fixable)
    if not looked.fixable or back:
        return plan(looked.seen, None, wrong), None
    from trueup.cli.env_target import Hindered, target_of

    try:
        target = target_of(session, looked)
    except Hindered as error:
        made = plan(looked.seen, None, wrong)
        return replace(made, hindered=(*made.hindered, error.message)), None
    return plan(looked.seen, target, wrong), target


def needs_conda(made: Plan) -> bool:
    return any(step.act.startswith("conda-") for step in made.steps)


def program_for(looked: Looked) -> Program:
    """Return the conda that keeps the environment, else the machine's. Raises TrueupError."""
    from trueup.machine.pythons.common import conda_prefixes
    from trueup.setup import conda

    own = Path(looked.environment.path).parent.parent
    return conda.find("conda", (str(own), *conda_prefixes(this_host())))
