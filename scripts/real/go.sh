#!/usr/bin/env bash
# go.sh up | down | env: the verifier of logs in Go (test/conformance/go), built into the cache. Takes a Go on the PATH or in /usr/local/go, else
# Debian's; one that is too old for go.mod fetches the pinned toolchain as a module, with its checksum from the checksum database.
source "$(dirname "$0")/part.sh"
SOURCE=$root/test/conformance/go
TOOLCHAIN=go1.25.3
VERIFIER=$CACHE/verify-log-$(cat "$SOURCE"/*.go "$SOURCE"/go.{mod,sum} "$0" | cksum | cut -d' ' -f1)/verify-log
PATH=$PATH:/usr/local/go/bin
export GOFLAGS=-buildvcs=false

# new_enough GO: whether it can build what go.mod asks for
new_enough() {
  local wanted found
  wanted=$(sed -n 's/^go \([0-9.]*\).*/\1/p' "$SOURCE/go.mod")
  found=$(GOTOOLCHAIN=local "$1" env GOVERSION) && [ "$(printf '%s\n' "$wanted" "${found#go}" | sort -V | head -1)" = "$wanted" ]
}

# compiler: a Go that can build it
compiler() {
  ! new_enough go || { command -v go; return; }
  local dir
  say "fetching $TOOLCHAIN"
  dir=$(cd "$DIR" && go mod download -json "golang.org/toolchain@v0.0.1-$TOOLCHAIN.$(go env GOOS)-$(go env GOARCH)" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  # a module's files are not executable
  chmod +x "$dir"/bin/* "$dir"/pkg/tool/*/*
  new_enough "$dir/bin/go"
  echo "$dir/bin/go"
}

build() {
  [ ! -x "$VERIFIER" ] || return 0
  local go
  go=$(compiler) || die "no Go for go.mod"
  say "building the verifier of logs"
  mkdir -p "$(dirname "$VERIFIER")"
  (cd "$SOURCE" && GOTOOLCHAIN=local GOFLAGS='-buildvcs=false -mod=readonly' "$go" build -o "$VERIFIER" .)
}

up() {
  [ -x "$VERIFIER" ] || need go golang-go
  locked go build >"$DIR/go-build.log" 2>&1 || { show_log "$DIR/go-build.log"; die "the verifier of logs could not be built"; }
}

case ${1:-} in
  up) up; "$0" env ;;
  down) ;;
  env) echo "export COUNTERSIGN_TEST_VERIFY_LOG=$VERIFIER" ;;
  *) die "usage: up | down | env" ;;
esac
