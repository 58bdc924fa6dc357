#!/usr/bin/env bash
# down.sh: ends the parts that up.sh started from this directory and removes what they kept. Nothing else is touched.
source "$(dirname "$0")/part.sh"
failed=''
for part in kafka registry postgres redis s3 mail tryton; do bash "$here/$part.sh" down || failed+=" $part"; done
[ -z "$failed" ] || die "could not end:$failed"
