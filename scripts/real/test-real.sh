#!/usr/bin/env bash
# test-real.sh [--only real|alone] [vitest arguments]: every *.real.spec.js on real Kafka, registry, Postgres, Redis, S3, mail and Tryton. Starts them side by side and ends
# them again, unless they ran before. With a Docker engine Kafka, registry, Postgres and Redis come from docker-compose.yml through testcontainers instead.
# Two specs at a time, for they wait more than they compute; then, one by one, those that kill a part of all or time the machine (*.alone.real.spec.js).
source "$(dirname "$0")/part.sh"
cd "$root"
vitest=(npx vitest run)

# on_parts COMMAND...: the specs, by vitest behind COMMAND; with arguments, those that match, one spec at a time
on_parts() {
  if [ ${#arguments[@]} -gt 0 ]; then "$@" "${vitest[@]}" --project real --project alone --no-file-parallelism "${arguments[@]}"; return; fi
  local code=0
  [ "$only" = alone ] || "$@" "${vitest[@]}" --project real || code=$?
  [ "$only" = real ] || "$@" "${vitest[@]}" --project alone --no-file-parallelism || code=$?
  return $code
}
only=''
if [ "${1:-}" = --only ]; then only=$2; shift 2; fi
arguments=("$@")

if [ -z "${COUNTERSIGN_REAL_SCRIPTS:-}" ] && command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  say "a Docker engine answers: using containers"
  trap 'for part in s3 mail tryton; do bash "$here/$part.sh" down; done' EXIT
  others=$(bash "$here/s3.sh" up && bash "$here/mail.sh" up && bash "$here/tryton.sh" up && bash "$here/go.sh" up && bash "$here/openssl.sh" up) || { echo "S3, MAIL, TRYTON, GO OR OPENSSL DID NOT START: no test was run" >&2; exit 1; }
  eval "$others"
  on_parts node scripts/real/containers.mjs
  exit
fi

running "$DIR/kafka/node-1" || trap 'bash "$here/down.sh"' EXIT
environment=$(bash "$here/up.sh") || { echo "REAL PARTS DID NOT START: no test was run" >&2; exit 1; }
eval "$environment"
on_parts env
