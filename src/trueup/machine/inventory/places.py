"""Where an interpreter keeps its packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.machine.host import path_of
from trueup.machine.pythons.common import home

if TYPE_CHECKING:
    from trueup.machine.host import Host


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def site_folders(host: Host, prefix: str, version: str) -> tuple[str, ...]:
    """Return the site-packages of a prefix; Debian's own Python keeps its packages in dist-packages."""
    join = path_of(host).join
    if host.platform == "windows":
        return (join(prefix, "Lib", "site-packages"),)
    python = f"python{minor(version)}"
    folders = [join(prefix, "lib", python, "site-packages"), join(prefix, "lib64", python, "site-packages")]
    if prefix == "/usr":
        folders += [f"/usr/local/lib/{python}/dist-packages", "/usr/lib/python3/dist-packages"]
    return tuple(folders)


def user_site(host: Host, version: str, bits: int) -> str:
    """Return the folder of `pip install --user`, which comes before the interpreter's own."""
    join = path_of(host).join
    if host.platform == "windows":
        tag = "Python" + minor(version).replace(".", "") + ("-32" if bits == 32 else "")
        return str(join(host.env.get("APPDATA", ""), "Python", tag, "site-packages"))
    return str(join(home(host), ".local", "lib", f"python{minor(version)}", "site-packages"))
