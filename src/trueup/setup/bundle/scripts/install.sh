#!/bin/sh
# Builds the environment of this bundle: no network, no administrator. Arguments go to `trueup up`,
# for example --env FOLDER. It needs a Python of 3.10 or newer, or takes the one in the bundle.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }

for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
  if command -v "$python" >/dev/null && fits "$python"; then
    exec "$python" -I "$here/start.py" "$@"
  fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in "$here"/python/*/*-linux-gnu-*.tar.gz "$here"/python/given/*.tar.gz; do
  [ -f "$archive" ] || continue
  rm -rf "$work/python"
  tar -xzf "$archive" -C "$work"
  if fits "$work/python/bin/python3"; then
    status=0
    "$work/python/bin/python3" -I "$here/start.py" "$@" || status=$?
    exit "$status"
  fi
done
echo "error: no Python of 3.10 or newer was found, and this bundle holds none for this system" >&2
echo "hint: install one (python.org or your distribution), or make the bundle with --python-archive FILE" >&2
echo "错误：没有找到 Python 3.10 或更高版本，此离线包也不含适用于本系统的 Python；请先安装，或制作时加上 --python-archive 文件" >&2
exit 2
