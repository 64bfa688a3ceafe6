"""A folder that holds everything for an environment, and its use on a machine without network.

On disk::

    SHA256SUMS             the sum of every other file; checked before anything else is read
    trueup-bundle.json     the manifest: what for, from what, by which trueup
    sbom.cdx.json          CycloneDX 1.6
    README.md, README.zh-CN.md, install.sh, install.cmd, install.ps1, start.py
    locks/NAME/pylock.toml the lock of each machine
    wheels/                the files that the locks name
    build/                 what old packages that exist as source only are built with
    tools/PLATFORM/        trueup, uv and what they need, as wheels
    python/                archives of Python itself, where they could be had
    facts/                 the user's own facts, where the choice rests on them

`make` fills a folder beside the final one and moves it into place; `open_bundle` checks one and reads it.
"""
