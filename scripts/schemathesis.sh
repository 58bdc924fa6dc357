#!/usr/bin/env bash
# schemathesis.sh [EXAMPLES [OPTIONS...]]: schemathesis with all its checks against the API that a fresh standalone describes in /openapi.json, with that
# many examples an operation (default 100). COUNTERSIGN_SCHEMATHESIS_PHASES: default examples,coverage,fuzzing.
# Imports run one at a time for a tenant, others are 429: they are called by one worker, after all else; with OPTIONS there is one run of them.
# What is not called, and why: scripts/schemathesis.toml. The log of the platform is kept beside the program: server.log.
set -euo pipefail
cd "$(dirname "$0")/.."
VERSION=4.32.5
examples=${1:-100}
phases=${COUNTERSIGN_SCHEMATHESIS_PHASES:-examples,coverage,fuzzing}
dir=${COUNTERSIGN_SCHEMATHESIS_DIR:-.cache/schemathesis-$VERSION}
mkdir -p "$dir"
dir=$(realpath "$dir")
if [ ! -x "$dir/bin/schemathesis" ]; then
  python3 -m venv "$dir"
  timeout 240 "$dir/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$VERSION" >&2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/countersign-schemathesis.XXXXXX")
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  cp "$work/server.log" "$dir/" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
COUNTERSIGN_PORT=$port COUNTERSIGN_DATA_DIR=$work/data COUNTERSIGN_WORKSPACE_ROOT=$work/workspace \
  node apps/standalone/dist/main.js >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 1 120); do
  curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && break
  kill -0 "$server" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
  sleep 0.5
done
curl -sf "http://127.0.0.1:$port/readyz" >/dev/null || { echo 'the platform is not ready after a minute:' >&2; tail -n 20 "$work/server.log" >&2; exit 1; }

key=$(cat "$work/data/admin.key")
config=$PWD/scripts/schemathesis.toml
# It keeps what it finds in the working directory.
cd "$work"
check() {
  local workers=$1
  shift
  "$dir/bin/schemathesis" --no-color --config-file "$config" run "http://127.0.0.1:$port/openapi.json" \
    --header "Authorization: Bearer $key" --checks all --max-examples "$examples" --phases "$phases" --workers "$workers" \
    --request-timeout 30 --suppress-health-check all --continue-on-failure "$@"
}
if [ $# -gt 1 ]; then
  check 2 "${@:2}"
else
  failed=0
  check 2 --exclude-path-regex '^/v1/openapi-imports' || failed=1
  check 1 --include-path-regex '^/v1/openapi-imports' || failed=1
  exit "$failed"
fi
