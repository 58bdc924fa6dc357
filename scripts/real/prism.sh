#!/usr/bin/env bash
# prism.sh: prints the path of Prism, a server that answers as an OpenAPI document says. It is 90 MB and only for one spec, so it is kept
# in the cache of all checkouts (COUNTERSIGN_CACHE) and is no dependency.
set -euo pipefail
VERSION=5.14.2
cache=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}
dir=$cache/prism-$VERSION
prism=$dir/node_modules/@stoplight/prism-cli/dist/index.js
if [ ! -f "$prism" ]; then
  mkdir -p "$dir"
  timeout 240 npm install --prefix "$dir" --no-save --no-audit --no-fund --ignore-scripts --prefer-offline "@stoplight/prism-cli@$VERSION" >&2
fi
echo "$prism"
