"""A small conda made of conda's own library, py-rattler: solves, downloads and links for real, by conda's own words.

Started as a program named `conda`; `CHANNEL_ALIAS` names the server that channels come from.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import rattler
import yaml


def main(words: list[str]) -> None:
    if words == ["--version"]:
        sys.stdout.write("conda 25.1.0\n")  # of the time in which `nodefaults` was a word for it
        return
    prefix = Path(words[words.index("--prefix") + 1])
    if words[:2] == ["env", "create"] or words[0] == "create":
        create(prefix, yaml.safe_load(Path(words[words.index("--file") + 1]).read_text("utf-8")))
    elif words[0] == "install":
        lines = Path(words[words.index("--file") + 1]).read_text("utf-8").split()
        if lines[0] != "@EXPLICIT":
            sys.exit("no explicit list")
        more(prefix, [line.partition("#")[0] for line in lines[1:]])
    elif words[0] == "remove" and "--force-remove" in words:
        keep(prefix, set(words[words.index("--force-remove") + 1 :]))
    else:
        sys.exit(f"unknown words: {words}")
    note(prefix, words)


def create(prefix: Path, document: dict[str, object]) -> None:
    alias = os.environ["CHANNEL_ALIAS"]
    rows = document["dependencies"]
    assert isinstance(rows, list)
    config = rattler.ChannelConfig(channel_alias=alias)
    channels = [rattler.Channel(str(name), config) for name in _channels(document) if name != "nodefaults"]
    specs = [row for row in rows if isinstance(row, str)]
    records = asyncio.run(rattler.solve(channels, specs, platforms=["linux-64", "noarch"]))
    link(records, prefix)
    for row in rows:
        if isinstance(row, dict):
            asked = prefix / "conda-meta" / "requirements.txt"
            asked.write_text("".join(f"{line}\n" for line in row["pip"]), "utf-8")
            subprocess.run([prefix / "bin" / "python", "-m", "pip", "install", "-r", asked], check=True)


def _channels(document: dict[str, object]) -> list[object]:
    found = document["channels"]
    assert isinstance(found, list)
    return found


def installed(prefix: Path) -> list[rattler.PrefixRecord]:
    return [rattler.PrefixRecord.from_path(path) for path in sorted((prefix / "conda-meta").glob("*.json"))]


def link(records: list[rattler.RepoDataRecord], prefix: Path, *, there: bool = False) -> None:
    asyncio.run(
        rattler.install(
            records,
            prefix,
            cache_dir=Path(os.environ["PKGS"]),
            installed_packages=installed(prefix) if there else [],
            show_progress=False,
        )
    )


def more(prefix: Path, addresses: list[str]) -> None:
    """Link the listed files; one whose record is there already is passed over, as conda does."""
    there = installed(prefix)
    names = [address.rpartition("/")[2] for address in addresses]
    channels = {rattler.Channel(address.rpartition("/")[0].rpartition("/")[0]) for address in addresses}
    gateway = rattler.Gateway()
    specs = [f"{name.rsplit('-', 2)[0]}" for name in names]
    found = asyncio.run(gateway.query(list(channels), ["linux-64", "noarch"], specs, recursive=False))
    fresh = [record for records in found for record in records if record.file_name in names]
    have = {record.file_name for record in there}
    link([*there, *(record for record in fresh if record.file_name not in have)], prefix, there=True)


def keep(prefix: Path, but: set[str]) -> None:
    link([one for one in installed(prefix) if one.name.normalized not in but], prefix, there=True)


def note(prefix: Path, words: list[str]) -> None:
    """Write conda's history, as each of its programs does."""
    with (prefix / "conda-meta" / "history").open("a") as file:
        file.write(f"==> {time.strftime('%Y-%m-%d %H:%M:%S')} <==\n# cmd: conda {' '.join(words)}\n")


if __name__ == "__main__":
    log = os.environ.get("CONDA_LOG")
    if log:
        with Path(log).open("a") as out:
            out.write(json.dumps(sys.argv[1:]) + "\n")
    main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the library's threads may be at work still, which ends some interpreters by a signal
