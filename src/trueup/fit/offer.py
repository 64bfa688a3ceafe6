"""Which builds a route has for a wish; where it has none, the rule that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.case import FLAVOUR, ROUTES
from trueup.fit.rules.verdict import no
from trueup.fit.versions import accepts, version

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
    platforms = platforms_of(case, route)
    here = [b for b in case.facts.builds(ask.framework) if b.flavour == flavour and b.platform in platforms]
    if not here:
        return no("os-no-build", "os-no-build", **what, os=f"@fit.os-{case.machine.os}")
    fitting = [b for b in here if b.arch == case.arch]
    if not fitting:
        return no("os-no-build-arch", "os-no-build-arch", here[0].source, **what, arch=case.arch)
    first = next(p for p in platforms if any(b.platform == p for b in fitting))
    fitting = [b for b in fitting if b.platform == first]
    wanted = [b for b in fitting if accepts(ask.specifier, ask.version_of(b))]
    if not wanted:
        return _no_version(case, route, ask, fitting)
    of_cuda = tuple(b for b in wanted if _cuda_fits(ask, b))
    return of_cuda or no("cuda-asked", "cuda-asked", asked=ask.text, cuda=ask.cuda or "", **what)


def _no_version(case: Case, route: Route, ask: Ask, here: list[Build]) -> Verdict:
    newest = max(here, key=lambda b: version(b.version))
    what = {"framework": ask.framework, "last": newest.version, "asked": ask.text}
    if not any(accepts(ask.specifier, ask.version_of(b)) for b in case.facts.builds(ask.framework)):
        return no("version-none", "version-none", newest.source, **what)
    return ended(case, route, ask, newest)


def ended(case: Case, route: Route, ask: Ask, newest: Build) -> Verdict:  # noqa: ARG001
    """Say that a route's builds end, or begin, at a release while others go on."""
    what = {"framework": ask.framework, "last": newest.version, "route": f"@fit.route-{route}"}
    if route == "windows-native" and ask.framework == "tensorflow":
        return no("tf-windows-gpu-ended", "tf-windows-gpu-ended", newest.source, **what)
    return no("os-no-build-release", "os-no-build-release", newest.source, **what)


def _cuda_fits(ask: Ask, build: Build) -> bool:
    if ask.cuda is None or build.cuda is None:
        return True
    return build.cuda == ask.cuda if "." in ask.cuda else build.cuda.split(".")[0] == ask.cuda
