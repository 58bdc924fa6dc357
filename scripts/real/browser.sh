#!/usr/bin/env bash
# browser.sh [COMMAND...]: sees to it that Chromium is there (Debian's package), then runs COMMAND from node_modules/.bin with its path in
# COUNTERSIGN_TEST_BROWSER. Without COMMAND it only installs. Another browser: COUNTERSIGN_TEST_BROWSER=/path/to/chromium.
source "$(dirname "$0")/part.sh"
cd "$root"
if [ -z "${COUNTERSIGN_TEST_BROWSER:-}" ]; then
  install() { need chromium chromium; }
  locked chromium install
  COUNTERSIGN_TEST_BROWSER=$(command -v chromium)
fi
[ -x "$COUNTERSIGN_TEST_BROWSER" ] || die "$COUNTERSIGN_TEST_BROWSER is no program"
export COUNTERSIGN_TEST_BROWSER
[ $# -eq 0 ] || exec npx "$@"
