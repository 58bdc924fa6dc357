#!/usr/bin/env bash
# confluent.sh: installs confluent-kafka from its wheels, as examples/producers/requirements.txt pins it, once and outside of the tree, and prints
# the interpreter that has it. As root on Debian it installs python3-venv where that is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
CACHE=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}
pinned=$(cat examples/producers/requirements.txt)
venv=$CACHE/confluent-kafka-${pinned##*==}

# a venv is whole once it has its marker
if [ ! -e "$venv/whole" ]; then
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "confluent: install python3-venv" >&2; exit 1; }
    apt-get install -y -q python3-venv >/dev/null || { apt-get update -q >/dev/null && apt-get install -y -q python3-venv >/dev/null; }
  fi
  mkdir -p "$CACHE"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --only-binary :all: --disable-pip-version-check "$pinned" >&2
  touch "$venv/whole"
fi
echo "$venv/bin/python"
