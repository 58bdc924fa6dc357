#!/usr/bin/env bash
# chaos.sh [--mode embedded|kafka] [--size pr|nightly] [--only F1] [--seed N] [--calls N] [--kills N] [--rounds N]: the fault scenarios, on both logs
# one after the other where no mode is named. For Kafka it starts the real parts, unless they run.
set -uo pipefail
cd "$(dirname "$0")/.."
chaos=(node test/dist/chaos/main.js)
on_real=(bash scripts/real/with-parts.sh)
case " $* " in
  *' --mode'[\ =]'embedded '*) exec "${chaos[@]}" "$@" ;;
  *' --mode'[\ =]'kafka '*) exec "${on_real[@]}" "${chaos[@]}" "$@" ;;
esac
code=0
"${chaos[@]}" --mode embedded "$@" || code=$?
"${on_real[@]}" "${chaos[@]}" --mode kafka "$@" || code=$?
exit $code
