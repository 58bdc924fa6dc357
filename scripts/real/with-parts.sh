#!/usr/bin/env bash
# with-parts.sh COMMAND...: the command with the real parts' addresses in its environment, and its exit code. Starts the parts and ends
# them again, unless they ran before.
source "$(dirname "$0")/part.sh"
cd "$root"
running "$DIR/kafka/node-1" || trap 'bash "$here/down.sh"' EXIT
environment=$(bash "$here/up.sh") || { echo "REAL PARTS DID NOT START: nothing was run" >&2; exit 1; }
eval "$environment"
"$@"
