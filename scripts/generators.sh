#!/usr/bin/env bash
# npm run generators: other people's generators read /openapi.json of a running platform without a warning, and the Python client makes a real call.
# The Python packages go into COUNTERSIGN_CACHE, outside of the tree. As root on Debian it installs python3-venv where that is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
CACHE=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}
PYTHON_CLIENT=0.29.1
venv=$CACHE/openapi-python-client-$PYTHON_CLIENT
work=$(mktemp -d "${TMPDIR:-/tmp}/countersign-generators.XXXXXX")
platform=
finish() {
  [ -z "$platform" ] || { kill "$platform" 2>/dev/null; wait "$platform" 2>/dev/null || true; }
  rm -rf "$work"
}
trap finish EXIT

# a venv is whole once it has its marker
if [ ! -e "$venv/whole" ]; then
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "generators: install python3-venv" >&2; exit 1; }
    apt-get install -y -q python3-venv >/dev/null || { apt-get update -q >/dev/null && apt-get install -y -q python3-venv >/dev/null; }
  fi
  mkdir -p "$CACHE"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check "openapi-python-client==$PYTHON_CLIENT"
  touch "$venv/whole"
fi

port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
url=http://127.0.0.1:$port
mkdir "$work/workspace"
COUNTERSIGN_PORT=$port COUNTERSIGN_DATA_DIR=$work/data COUNTERSIGN_WORKSPACE_ROOT=$work/workspace COUNTERSIGN_PACKS=workspace \
  node apps/standalone/dist/main.js >"$work/log" 2>&1 &
platform=$!
for _ in $(seq 240); do
  curl -fs "$url/readyz" >/dev/null && break
  kill -0 "$platform" 2>/dev/null || { tail -n 40 "$work/log" >&2; exit 1; }
  sleep 0.5
done
curl -fsS "$url/openapi.json" -o "$work/openapi.json"

cd "$work"
# A warning of openapi-typescript goes to stderr and leaves its exit code at 0.
node "$root/libs/client/node_modules/openapi-typescript/bin/cli.js" openapi.json -o api.ts >typescript.log 2>&1
if grep -qiE 'warn|error|✘' typescript.log; then cat typescript.log >&2; exit 1; fi
"$venv/bin/openapi-python-client" generate --path openapi.json --meta none --output-path countersign_client --config "$root/scripts/generators.yml" --fail-on-warning
"$venv/bin/python" "$root/scripts/generated-client.py" "$work" "$url" "$work/data/admin.key"
echo "generators: openapi-typescript and openapi-python-client read $url/openapi.json"
