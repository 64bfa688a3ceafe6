"""A PowerShell script (Windows PowerShell 5.1 and newer) that builds the environment with `py` and pip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.plan.writers.requirements import lines
from trueup.plan.writers.shell import INCOMPLETE, SITE

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order


def write(order: Order) -> str:
    python = order.question.python
    words = {name: _quoted(text) for name, text in order.words.items()}
    rows = [
        f"# {order.title}",
        "param([string]$EnvDir = '.venv')",
        "$ErrorActionPreference = 'Stop'",
        f"$incomplete = Join-Path $EnvDir '{INCOMPLETE}'",
        "if (Test-Path -LiteralPath $incomplete) { Remove-Item -LiteralPath $EnvDir -Recurse -Force }",
        f'if (Test-Path -LiteralPath $EnvDir) {{ Write-Error ("{{0}}: {{1}}" -f $EnvDir, {words["script-exists"]}) }}',
        f"if (-not (Get-Command py -ErrorAction Ignore)) {{ Write-Error {words['script-no-python']} }}",
        f"& py -{python} -c 'import sys; sys.exit(sys.maxsize < 2**32)'",
        f"if ($LASTEXITCODE -ne 0) {{ Write-Error {words['script-no-python']} }}",
        "New-Item -ItemType Directory -Path $EnvDir | Out-Null",
        "New-Item -ItemType File -Path $incomplete | Out-Null",
        f"& py -{python} -m venv $EnvDir",
        f"if ($LASTEXITCODE -ne 0) {{ Write-Error {words['script-failed']} }}",
        "$python = Join-Path $EnvDir 'Scripts\\python.exe'",
        "$utf8 = New-Object System.Text.UTF8Encoding $false",
        "$list = Join-Path (Resolve-Path -LiteralPath $EnvDir).Path 'requirements.txt'",
        "[IO.File]::WriteAllText($list, @'",
        *lines(order),
        "'@, $utf8)",
        "& $python -m pip install --require-hashes -r $list",
        f"if ($LASTEXITCODE -ne 0) {{ Write-Error {words['script-failed']} }}",
        *_hook(order),
        "Remove-Item -LiteralPath $incomplete",
        f"Write-Output (\"{{0}} {{1}}\" -f {words['script-next']}, (Join-Path $EnvDir 'Scripts\\Activate.ps1'))",
    ]
    # Windows PowerShell 5.1 takes a file for UTF-8 only where it begins with a mark.
    return "\ufeff" + "\n".join(rows) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _hook(order: Order) -> list[str]:
    rows = [f'$site = & $python -c "{SITE}"'] if order.hook else []
    for name, text in order.hook.items():
        if "\n'@" in text:
            raise ValueError(f"{name} would end the here-string")
        rows += [
            f"[IO.File]::WriteAllText((Join-Path $site '{name}'), @'",
            text.rstrip("\n"),
            '\'@ + "`n", $utf8)',
        ]
    return rows
