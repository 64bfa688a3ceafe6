#!/bin/sh
# Installs trueup for this user on Linux, WSL2 or macOS; needs no administrator and no Python.
#
#     sh install.sh                          then type: trueup up tensorflow
#     sh install.sh up tensorflow --yes      installs, then runs trueup with these words
#
# It fetches uv, checks it against the SHA-256 below, and lets it make an environment of its own in
# ~/.local/share/trueup, with a Python that is here or that uv brings. The one other thing it makes is the
# launcher ~/.local/bin/trueup. `trueup self uninstall` takes all of it away. A failed run leaves nothing.
#
#     TRUEUP_SOURCE   where trueup comes from: a folder, a wheel, an address (default: the folder of this file)
#     TRUEUP_INDEX    a package index to take uv and the packages from, such as a mirror (ends with /simple)
#     UV_PYTHON_INSTALL_MIRROR   a mirror for uv's Pythons;  HTTPS_PROXY   a proxy
set -eu
UV=0.12.5 RELEASES=${TRUEUP_RELEASES:-https://github.com/astral-sh/uv/releases/download}

# system-machine | SHA-256 of the release's archive | tag and SHA-256 of the wheel on PyPI
table() {
  cat <<'END'
Linux-x86_64 x86_64-unknown-linux-musl a4742988791c9aeae68c78150d6cba762062ad2a47e53738c2779d2b596bfcdb musllinux_1_1_x86_64 dc14e4f81a99b585a891350c60d1ff4557d54cb3c3c81fa45fd4e0dd512ba752
Linux-aarch64 aarch64-unknown-linux-musl 8767a0e77f2cd45436401b1b42bf7e9ed5a4a91a74a5305d6fe93249d0f6dbc5 manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64 2d65b7b3bc3fd28678f62aa7fb5d90f106ad9782c1354af60b6cecdf9ea9ecd9
Darwin-x86_64 x86_64-apple-darwin b3b2137477cf96c9686ebfb71524614cec780c673fd73e59bce099aef02e70e8 macosx_10_12_x86_64 1a06c8bc4d43b5f6c1e3f2ae3d0f6455b07515f762516f95e52e6c0cbccedf15
Darwin-arm64 aarch64-apple-darwin 5bb0e5fe008a773c3dbcb97ff79cd89e1241464fe9d2f986d52ad8f1b037bd62 macosx_11_0_arm64 d87156bc174d94fae890bb7a261e2867140abb9fe1e9de81a5295e582fb9d0f5
END
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $1" && say "" && say "hint: $2" && exit 2; }

fetch() { # address, file
  if command -v curl >/dev/null; then curl -fsSL --retry 2 --connect-timeout 30 -o "$2" "$1"
  elif command -v wget >/dev/null; then wget -q -O "$2" "$1"
  else fail "neither curl nor wget is here" "install one of them, or install Python 3.10 and use bootstrap.py"; fi ||
    fail "$1 could not be downloaded" "check the network; behind a proxy set HTTPS_PROXY; TRUEUP_INDEX names a mirror"
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  else openssl dgst -sha256 -r "$1"; fi | cut -d' ' -f1
}

unzip_to() { # file, folder
  if command -v unzip >/dev/null; then unzip -q "$1" -d "$2"
  elif command -v bsdtar >/dev/null; then bsdtar -xf "$1" -C "$2"
  elif command -v python3 >/dev/null; then python3 -m zipfile -e "$1" "$2"
  elif command -v busybox >/dev/null; then busybox unzip -q "$1" -d "$2"
  else fail "nothing here opens a wheel" "install unzip, or unset TRUEUP_INDEX to take uv's own archive"; fi
}

make_folder() { # makes a folder, and writes down those that were not there
  [ -d "$1" ] && return
  make_folder "$(dirname "$1")" && mkdir "$1" 2>/dev/null ||
    fail "$1 cannot be made" "set XDG_DATA_HOME and XDG_BIN_HOME to folders of your own"
  made="$1
$made"
}

undo() { # a failed or interrupted run leaves nothing behind
  rm -rf "$tool" "$launcher.new"
  printf '%s' "$made" | while IFS= read -r folder; do rmdir "$folder" 2>/dev/null || :; done
}

get_uv() {
  set -- $(table | grep "^$(uname -s)-$(uname -m) " || :)
  [ $# = 5 ] || fail "there is no uv for $(uname -s) on $(uname -m)" "install Python 3.10 and use bootstrap.py"
  if [ -n "${TRUEUP_INDEX:-}" ]; then
    index=${TRUEUP_INDEX%/} file=uv-$UV-py3-none-$4.whl expected=$5
    fetch "$index/uv/" "$tool/page"
    link=$(tr '<>' '\n\n' <"$tool/page" | sed -n "s/.*href=[\"']\([^\"'#]*$file\).*/\1/p" | head -n 1)
    case $link in
      "") fail "$index has no $file" "use another mirror, or unset TRUEUP_INDEX" ;;
      *://*) ;;
      /*) link=$(printf '%s' "$index" | cut -d/ -f1-3)$link ;;
      *) link=$index/uv/$link ;;
    esac
  else file=uv-$2.tar.gz link=$RELEASES/$UV/uv-$2.tar.gz expected=$3; fi
  say "fetching uv $UV ..."
  fetch "$link" "$tool/$file"
  [ "$(sha256 "$tool/$file")" = "$expected" ] ||
    fail "$link is not the file it should be (SHA-256 $expected)" "something on the way changed it: use another network or mirror"
  mkdir "$tool/x"
  case $file in *.whl) unzip_to "$tool/$file" "$tool/x" ;; *) tar -xzf "$tool/$file" -C "$tool/x" ;; esac ||
    fail "$file cannot be unpacked" "is the disk full?"
  mv "$(find "$tool/x" -type f -name uv)" "$tool/uv" && chmod 755 "$tool/uv"
  rm -rf "$tool/x" "$tool/${file:?}" "$tool/page"
}

here=$(cd "$(dirname "$0")" && pwd)
source=${TRUEUP_SOURCE:-$here}
[ -d "$source" ] && ! [ -f "$source/pyproject.toml" ] && source=$(ls "$source"/trueup-*.whl 2>/dev/null | head -n 1)
[ -n "$source" ] || fail "trueup itself is not beside install.sh" "run it in a clone or a bundle, or set TRUEUP_SOURCE"
data=${XDG_DATA_HOME:-$HOME/.local/share}/trueup
launcher=${XDG_BIN_HOME:-$HOME/.local/bin}/trueup
tool=$data/tool-$(date +%Y%m%d%H%M%S)-$$ made=
[ ! -e "$launcher" ] || grep -q "^# trueup's launcher" "$launcher" ||
  fail "$launcher is somebody else's" "set XDG_BIN_HOME to another folder"
trap undo EXIT
trap 'exit 130' INT TERM HUP
make_folder "$tool"
make_folder "$(dirname "$launcher")"
get_uv
[ -z "${TRUEUP_INDEX:-}" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$TRUEUP_INDEX}"
export UV_CACHE_DIR="$tool/cache" UV_PYTHON_INSTALL_DIR="$tool/python"
say "installing trueup into $data ..."
"$tool/uv" venv -q --no-project --python '>=3.10' "$tool/env" && "$tool/uv" pip install -q --python "$tool/env/bin/python" "$source" ||
  fail "uv could not install trueup; its words are above" "check the network; TRUEUP_INDEX and UV_PYTHON_INSTALL_MIRROR name mirrors"
rm -rf "$tool/cache" "$tool/uv" # trueup has a uv of its own
[ ! -f "$data/installed" ] || made=$made$(sed -n 's/^made=//p' "$data/installed")
{ printf 'tool=%s\nlauncher=%s\n' "$tool" "$launcher"; printf '%s\n' "$made" | sed -n 's/^./made=&/p'; } >"$tool/installed"
quoted=$(printf '%s' "$tool" | sed "s/'/'\\\\''/g")
printf '#!/bin/sh\n# trueup'"'"'s launcher\nexec '"'%s'"'/env/bin/trueup "$@"\n' "$quoted" >"$launcher.new"
chmod 755 "$launcher.new" && mv "$tool/installed" "$data/installed" && mv "$launcher.new" "$launcher"
trap - EXIT
for old in "$data"/tool-*; do [ "$old" = "$tool" ] || rm -rf "$old"; done
case ":$PATH:" in
  *":$(dirname "$launcher"):"*) say "installed: trueup" ;;
  *) say "installed: $launcher" && say "hint: it is not on PATH; \`$launcher self add-path\` puts it there, \`trueup undo\` takes it back" ;;
esac
[ $# = 0 ] || exec "$launcher" "$@"
