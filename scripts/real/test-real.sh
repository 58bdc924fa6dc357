#!/usr/bin/env bash
# test-real.sh [jest arguments]: every *.real.spec.js on real Kafka, registry, Postgres, Redis, S3 and mail. Starts them side by side and ends
# them again, unless they ran before. With a Docker engine they come from docker-compose.yml through testcontainers instead.
source "$(dirname "$0")/part.sh"
cd "$root"
jest=(node --experimental-vm-modules --no-warnings node_modules/jest/bin/jest.js --runInBand --forceExit "$@")

if [ -z "${COUNTERSIGN_REAL_SCRIPTS:-}" ] && command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  say "a Docker engine answers: using containers"
  trap 'bash "$here/s3.sh" down; bash "$here/mail.sh" down' EXIT
  others=$(bash "$here/s3.sh" up && bash "$here/mail.sh" up) || { echo "S3 OR MAIL DID NOT START: no test was run" >&2; exit 1; }
  eval "$others"
  node scripts/real/containers.mjs "${jest[@]}"
  exit
fi

running "$DIR/kafka/node-1" || trap 'bash "$here/down.sh"' EXIT
environment=$(bash "$here/up.sh") || { echo "REAL PARTS DID NOT START: no test was run" >&2; exit 1; }
eval "$environment"
"${jest[@]}"
