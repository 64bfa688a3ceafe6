#!/usr/bin/env bash
# Debian packages that tests use: a C compiler for stand-in libraries. Wine's are in wine.sh.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
if ! command -v gcc >/dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null
fi
if [ -x .ci/wine.sh ]; then
  .ci/wine.sh --starts
fi
