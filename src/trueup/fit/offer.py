"""Which builds a route has for a wish; where it has none, the rule that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.case import FLAVOUR
from trueup.fit.model import ROUTES
from trueup.fit.rules.verdict import no
from trueup.fit.shelf import for_arch, newest_asked, shelf, taken

if TYPE_CHECKING:
    from trueup.facts.model import Build, Platform
    from trueup.fit.case import Case
    from trueup.fit.model import Route, Verdict
    from trueup.fit.wish import Ask
    from trueup.machine.model import Os


def platforms_of(case: Case, route: Route) -> tuple[Platform, ...]:
    """Return whose builds a route installs, the best first; none where the machine does not have the route.

    Windows can run Linux builds in WSL2: for the CPU that is the way where Windows has no wheel for its processor.
    """
    os = case.machine.os
    here: dict[Os, dict[Route, tuple[Platform, ...]]] = {
        "windows": {
            "windows-native": ("windows",),
            "wsl2": ("linux",),
            "directml": ("windows",),
            "cpu": ("windows", "linux"),
        },
        "wsl2": {"wsl2": ("linux",), "directml": ("linux",), "cpu": ("linux",)},
        "linux": {"linux": ("linux",), "cpu": ("linux",)},
        "macos": {},
    }
    return here[os].get(route, ())


def routes_of(case: Case) -> tuple[Route, ...]:
    """Return the routes that make sense on a machine's system, even those that turn out closed."""
    return tuple(route for route in ROUTES if route == "cpu" or platforms_of(case, route))


def offered(case: Case, route: Route, ask: Ask) -> tuple[Build, ...] | Verdict:
    """Return the builds of a route that a wish takes, newest first, or the reason why there are none."""
    flavour = FLAVOUR[route]
    what = {"framework": ask.framework, "route": f"@fit.route-{route}"}
    if ask.flavour and ask.flavour != flavour:
        return no("flavour-asked", "flavour-asked", asked=ask.text, route=what["route"])
    stocked = [shelf(case.facts, ask.framework, flavour, p) for p in platforms_of(case, route)]
    here = next((builds for builds in stocked if builds), None)
    if here is None:
        return no("os-no-build", "os-no-build", **what, os=f"@fit.os-{case.machine.os}")
    fitting = next((f for builds in stocked if (f := for_arch(builds, case.arch))), None)
    if fitting is None:
        return no("os-no-build-arch", "os-no-build-arch", here[0].source, **what, arch=case.arch)
    whole = case.every or case.asked.prefer == "smallest" or bool(case.asked.others)
    wanted, of_cuda = taken(case.facts, ask, fitting, whole=whole, deep=len(case.asked.asks) > 1)
    if not wanted:
        return _no_version(case, route, ask, fitting[0])
    return of_cuda or no("cuda-asked", "cuda-asked", asked=ask.text, cuda=ask.cuda or "", **what)


def _no_version(case: Case, route: Route, ask: Ask, newest: Build) -> Verdict:
    if newest_asked(case.facts, ask) is None:
        what = {"framework": ask.framework, "last": newest.version, "asked": ask.text}
        return no("version-none", "version-none", newest.source, **what)
    return ended(route, ask, newest)


def ended(route: Route, ask: Ask, newest: Build) -> Verdict:
    """Say that a route's builds end, or begin, at a release while others go on."""
    what = {"framework": ask.framework, "last": newest.version, "route": f"@fit.route-{route}"}
    if route == "windows-native" and ask.framework == "tensorflow":
        return no("tf-windows-gpu-ended", "tf-windows-gpu-ended", newest.source, **what)
    return no("os-no-build-release", "os-no-build-release", newest.source, **what)
