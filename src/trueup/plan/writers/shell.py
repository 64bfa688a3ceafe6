"""A POSIX shell script that builds the environment with the machine's own Python and pip."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from trueup.plan.writers.requirements import lines

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order

END: Final = "END_OF_FILE"
INCOMPLETE: Final = "INCOMPLETE"  # lies in the environment until all is done; such a one is made anew
SITE: Final = "import sysconfig; print(sysconfig.get_path('purelib'))"


def write(order: Order) -> str:
    python = f"python{order.question.python}"
    words = {name: shlex.quote(text) for name, text in order.words.items()}
    rows = [
        "#!/bin/sh",
        f"# {order.title}",
        "set -eu",
        'env_dir="${1:-.venv}"',
        f'if [ -e "$env_dir/{INCOMPLETE}" ]; then rm -rf "$env_dir"; fi',
        'if [ -e "$env_dir" ]; then',
        f'  printf "%s: %s\\n" "$env_dir" {words["script-exists"]} >&2',
        "  exit 2",
        "fi",
        f"if ! command -v {python} >/dev/null 2>&1; then",
        f"  echo {words['script-no-python']} >&2",
        "  exit 2",
        "fi",
        'mkdir -p "$env_dir"',
        f'touch "$env_dir/{INCOMPLETE}"',
        f'{python} -m venv "$env_dir"',
        f"\"$env_dir/bin/python\" -m pip install --require-hashes -r /dev/stdin <<'{END}'",
        *lines(order),
        END,
        *_hook(order),
        f'rm "$env_dir/{INCOMPLETE}"',
        f'printf "%s . %s/bin/activate\\n" {words["script-next"]} "$env_dir"',
    ]
    return "\n".join(rows) + "\n"


def _hook(order: Order) -> list[str]:
    rows = [f'site="$("$env_dir/bin/python" -c "{SITE}")"'] if order.hook else []
    for name, text in order.hook.items():
        rows += [f"cat > \"$site/{name}\" <<'{END}'", text.rstrip("\n"), END]
    return rows
