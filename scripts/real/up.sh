#!/usr/bin/env bash
# up.sh: starts the real parts side by side (what runs already is left alone), builds the verifier in Go, and prints the environment for
# the tests on them: eval "$(bash scripts/real/up.sh)". A part that cannot start is tried once more without its files; exit 1 names each that still cannot.
source "$(dirname "$0")/part.sh"
out=$(mktemp -d "$DIR/up.XXXXXX")
trap 'rm -rf "$out"' EXIT
parts='kafka registry postgres redis s3 mail tryton go openssl'
declare -A pids
for part in $parts; do
  bash "$here/$part.sh" up >"$out/$part" &
  pids[$part]=$!
done
failed=''
for part in $parts; do
  wait "${pids[$part]}" && continue
  say "$part is tried once more, afresh"
  bash "$here/$part.sh" down && bash "$here/$part.sh" up >"$out/$part" || failed+=" $part"
done
[ -z "$failed" ] || die "COULD NOT START:$failed"
cat "$out"/*
