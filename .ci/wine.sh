#!/bin/bash
# Installs what the tests marked `wine` need: Wine, mingw, and CPython for Windows with trueup's own needs.
# Debian, root. Idempotent; no time when all is there. `TRUEUP_WINE` is the folder, PYTHON any that has venv.
# `--starts`: also downloads debugpy and Jupyter for Windows, 90 MB.
# `--tensorflow`: also downloads the 2.2 GB of TensorFlow 2.10.1 for Windows that some slow tests need.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
root=${TRUEUP_WINE:-${XDG_CACHE_HOME:-$HOME/.cache}/trueup-wine}
python=${PYTHON:-python3}
target=x86_64-w64-mingw32
export WINEPREFIX=$root/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
unset DISPLAY

if ! command -v wine "$target-gcc" gendef gcc >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    wine wine64 gcc-mingw-w64-x86-64 mingw-w64-tools gcc libc6-dev >/dev/null
fi
mkdir -p "$root"

# The first call must hold no pipe: Wine's services keep the first caller's output open for ever.
if [ ! -e "$WINEPREFIX/drive_c/windows/system32/kernel32.dll" ]; then
  wineboot -i >/dev/null 2>&1 </dev/null
  wineserver -w
  wine winecfg -v win10 >/dev/null 2>&1 </dev/null
fi

uv() {
  if ! command -v "$root/tools/bin/uv" >/dev/null; then
    "$python" -m venv "$root/tools"
    "$root/tools/bin/pip" install -q --disable-pip-version-check "uv>=0.9"
  fi
  "$root/tools/bin/uv" "$@"
}

stdlib_of() { # the standard library of Python $1 on this machine
  local candidate
  for candidate in "$python" "python$1" "$(pyenv prefix "$(pyenv latest "$1" 2>/dev/null)" 2>/dev/null)/bin/python"; do
    "$candidate" - "$1" 2>/dev/null <<'PY' && return
import sys, sysconfig
if "%d.%d" % sys.version_info[:2] != sys.argv[1]:
    sys.exit(1)
print(sysconfig.get_path("stdlib"))
PY
  done
  return 1
}

windows_python() { # $1 version, $2 standard library, $3 folder
  # The `panda3d` wheels carry CPython's own python3XX.dll and extension modules; python.exe and python3.dll
  # are made here, the standard library is that of the same version on this machine.
  local short=${1/./} work
  work=$(mktemp -d)
  uv pip install -q --no-deps --only-binary :all: --target "$work/wheel" \
    --python-platform x86_64-pc-windows-msvc --python-version "$1" panda3d==1.10.16
  local libs=$work/wheel/deploy_libs
  rm -f "$libs"/api-ms-* "$libs/_wmi.pyd"
  mkdir -p "$3/DLLs" "$3/Lib/site-packages" "$3/Scripts"
  gendef - "$libs/python$short.dll" >"$work/p.def" 2>/dev/null
  $target-dlltool -d "$work/p.def" -l "$work/libp.a" -D "python$short.dll"
  cp "$here"/tests/wine/c/* "$work/"
  (cd "$work" && $target-windres python.rc -o manifest.o)
  $target-gcc -s -O2 -municode -o "$3/python.exe" "$work/python.c" "$work/manifest.o" "$work/libp.a"
  cp "$3/python.exe" "$3/pythonw.exe"
  awk -v d="python$short" 'BEGIN{print "LIBRARY \"python3.dll\"\nEXPORTS"} /^(;|LIBRARY|EXPORTS)/||!NF{next}
    {print $1"="d"."$1($0~/DATA/?" DATA":"")}' "$work/p.def" >"$work/3.def"
  $target-gcc -shared -nostdlib -s -o "$3/python3.dll" "$work/forward.c" "$work/3.def" -e DllMainCRTStartup
  cp "$libs/python$short.dll" "$libs"/VCRUNTIME*.dll "$3/"
  cp "$libs"/*.pyd "$libs"/*.dll "$3/DLLs/"
  tar -C "$2" --exclude=__pycache__ --exclude=./site-packages --exclude=./lib-dynload --exclude='./config-3*' \
    --exclude=./test -cf - . | tar -C "$3/Lib" -xf -
  mkdir -p "$3/Lib/venv/scripts/nt"
  $target-gcc -s -O2 -municode -o "$3/Lib/venv/scripts/nt/python.exe" "$work/launcher.c" "$work/manifest.o"
  for name in pythonw venvlauncher venvwlauncher; do
    cp "$3/Lib/venv/scripts/nt/python.exe" "$3/Lib/venv/scripts/nt/$name.exe"
  done
  rm -rf "$work"
}

version=3.10
folder=$WINEPREFIX/drive_c/Python310
if [ ! -e "$folder/complete" ]; then
  stdlib=$(stdlib_of $version) || { version=3.11 folder=$WINEPREFIX/drive_c/Python311; stdlib=$(stdlib_of 3.11); }
fi
if [ ! -e "$folder/complete" ]; then
  windows_python "$version" "$stdlib" "$folder"
  uv pip install -q --only-binary :all: --target "$folder/Lib/site-packages" \
    --python-platform x86_64-pc-windows-msvc --python-version "$version" -r "$here/tests/wine/requirements.txt"
  find "$folder/Lib/site-packages" -name uv.exe -exec cp {} "$folder/Scripts/" \;
  # Wine 8 has no bcryptprimitives.dll, which programs written in Rust import.
  $target-gcc -shared -s -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
    "$here/tests/wine/c/bcryptprimitives.c" -ladvapi32
  # As python.org's installer registers itself (PEP 514).
  key="HKCU\\Software\\Python\\PythonCore\\$version\\InstallPath" windows="C:\\${folder##*/}\\"
  wine reg add "$key" /ve /d "$windows" /f >/dev/null 2>&1 </dev/null
  wine reg add "$key" /v ExecutablePath /d "${windows}python.exe" /f >/dev/null 2>&1 </dev/null
  wineserver -w
  touch "$folder/complete"
fi
# What a test or the laboratory leaves behind when it is ended in the middle is taken away by these.
if [ ! -e "$root/clean/files" ]; then
  wineserver -w
  mkdir -p "$root/clean"
  cp -p "$WINEPREFIX"/*.reg "$root/clean/"
  (cd "$WINEPREFIX/drive_c" && find . -mindepth 1 \( -path './Python3*' -o -path './envs' \) -prune -o -print) |
    sed 's|^\./||' >"$root/clean/files"
fi
if [ "${1:-}" = --tensorflow ] && [ ! -d "$root/cache/tf210win/tensorflow" ]; then
  uv pip install -q --only-binary :all: --target "$root/cache/tf210win" --python-platform x86_64-pc-windows-msvc \
    --python-version 3.10 -r "$here/tests/wine/tensorflow.txt"
fi
if [ "${1:-}" = --starts ] && [ ! -d "$root/cache/starts/debugpy" ]; then
  uv pip install -q --only-binary :all: --target "$root/cache/starts" --python-platform x86_64-pc-windows-msvc \
    --python-version 3.10 debugpy ipykernel jupyter_client
fi
echo "Wine: $(wine --version 2>/dev/null), Windows Python in $folder"
