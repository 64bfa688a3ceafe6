"""What mends a global toolkit: the findings of `trueup cuda doctor`, as steps beside those of a check."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from packaging.version import Version

from trueup.diagnose.findings.model import Finding, Remedy
from trueup.diagnose.mend.model import Mend
from trueup.diagnose.mend.route import filled, tables
from trueup.keep.cuda.wanted import own_line
from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.facts import Facts
    from trueup.keep.cuda.examined import Examined
    from trueup.keep.cuda.model import Finding as Found
    from trueup.keep.cuda.toolkit import Toolkit
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Survey
    from trueup.values import Param

ARCHIVE: Final = re.compile(r"cudnn-(?P<system>windows|linux)-x86_64-(?P<version>\d[\d.]*)_cuda(?P<line>\d+)")
SUFFIXES: Final = (".zip", ".tar.xz")


def toolkit_steps(host: Host, facts: Facts, survey: Survey, examined: Examined) -> tuple[Mend, ...]:
    """Return a step for each problem of a variable or a toolkit; notices are no faults."""
    steps = [_step(found, {}) for found in examined.variables if found.level == "problem"]
    steps += [
        _step(found, _around(host, facts, survey, toolkit, found))
        for toolkit, findings in examined.toolkits
        for found in findings
        if found.level == "problem"
    ]
    return tuple(steps)


def _step(found: Found, around: Mapping[str, str | None]) -> Mend:
    row = tables()["cuda"][found.code]
    finding = as_finding(found)
    for words in row.get("steps", ()):
        argv = filled(words, {**found.text.params, **around})
        if argv is not None:
            return Mend(finding, argv, found.admin)
    return Mend(finding, (), why=f"doctor.why-{row['yours']}")


def as_finding(found: Found) -> Finding:
    """Return a toolkit's finding as one of a check."""
    remedy = Remedy(found.remedy, found.command, found.admin)
    return Finding(f"toolkit-{found.code}", "cuda", found.level, found.text, (), (remedy,))


def _around(
    host: Host, facts: Facts, survey: Survey, toolkit: Toolkit, found: Found
) -> dict[str, str | None]:
    params: Mapping[str, Param] = found.text.params
    wanted = str(params["wanted"]) if found.code == "cudnn-other-major" else None
    environments = survey.environments if isinstance(survey.environments, tuple) else ()
    env = next((one for one in environments if one.path == params.get("env")), None)
    line = own_line(facts, survey, env) if env is not None and env.kind != "installed" else None
    return {"line": line, "archive": _archive(host, toolkit, wanted)}


def _archive(host: Host, toolkit: Toolkit, wanted: str | None) -> str | None:
    """Return the newest cuDNN for the toolkit's CUDA, and of the wanted major, that lies among the downloads."""
    if not isinstance(toolkit.version, str):
        return None
    major = toolkit.version.partition(".")[0]
    fits = [
        (Version(name["version"]), path)
        for name, path in _downloads(host)
        if name["line"] == major and name["system"] == host.platform
        and wanted in (None, name["version"].partition(".")[0])
    ]  # fmt: skip
    return max(fits)[1] if fits else None


def _downloads(host: Host) -> Iterator[tuple[re.Match[str], str]]:
    home = host.env.get("USERPROFILE" if host.platform == "windows" else "HOME")
    if not home:
        return
    folder = path_of(host).join(home, "Downloads")
    for name in quiet_list(host, folder):
        found = ARCHIVE.match(name)
        if found and name.endswith(SUFFIXES):
            yield found, str(path_of(host).join(folder, name))
