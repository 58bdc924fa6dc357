#!/usr/bin/env bash
# npm run check [-- --static | vitest arguments]: everything that is cheap: generated code, types, lint and format, the shape of the code, pure specs.
# Under a minute. --static leaves the specs out: CI runs them once, with npm test.
set -euo pipefail
cd "$(dirname "$0")/.."
node scripts/generate.mjs --check
npx tsc -b
node scripts/docs.mjs --check
node scripts/client.mjs --check
npx biome check --diagnostic-level=error
if grep -q '"resolved": "http' package-lock.json; then echo "package-lock.json names a registry host: run npm install with this repository's .npmrc" >&2; exit 1; fi
[ "${1:-}" != --static ] || exit 0
npx vitest run --project pure "$@"
