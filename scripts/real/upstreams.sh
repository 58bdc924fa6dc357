#!/usr/bin/env bash
# upstreams.sh [COMMAND...]: sees to it that bubblewrap (Debian's package) and the MCP reference servers are there, then runs COMMAND from
# node_modules/.bin with their folder in COUNTERSIGN_TEST_UPSTREAMS. Without COMMAND it only installs. The servers are kept in the cache.
source "$(dirname "$0")/part.sh"
cd "$root"
VERSION=2026.8.31
REQUIREMENTS=$here/mcp-server-time-requirements.txt
SERVERS=$CACHE/mcp-servers-$VERSION-$(cksum <"$REQUIREMENTS" | cut -d' ' -f1)

install() {
  need bwrap bubblewrap
  need python3 python3-venv
  if [ ! -f "$SERVERS/node_modules/@modelcontextprotocol/server-memory/package.json" ]; then
    say "installing the MCP reference servers $VERSION into $CACHE"
    mkdir -p "$SERVERS"
    timeout 240 npm install --prefix "$SERVERS" --no-save --no-audit --no-fund --ignore-scripts --prefer-offline \
      "@modelcontextprotocol/server-everything@$VERSION" "@modelcontextprotocol/server-filesystem@$VERSION" \
      "@modelcontextprotocol/server-memory@$VERSION" >"$DIR/mcp-servers.log" 2>&1 || { show_log "$DIR/mcp-servers.log"; die "the MCP servers could not be installed"; }
  fi
  if [ ! -x "$SERVERS/python/bin/mcp-server-time" ]; then
    say "installing mcp-server-time into $CACHE"
    { python3 -m venv "$SERVERS/python" && "$SERVERS/python/bin/pip" install -q --disable-pip-version-check -r "$REQUIREMENTS"; } >"$DIR/mcp-server-time.log" 2>&1 ||
      { rm -rf "$SERVERS/python"; show_log "$DIR/mcp-server-time.log"; die "mcp-server-time could not be installed"; }
  fi
}

locked mcp-servers install
export COUNTERSIGN_TEST_UPSTREAMS=$SERVERS
[ $# -eq 0 ] || exec npx "$@"
