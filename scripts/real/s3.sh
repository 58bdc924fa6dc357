#!/usr/bin/env bash
# s3.sh up | down | env: a server with S3's API (gofakes3, in memory, loopback only), built with Go from its module.
source "$(dirname "$0")/part.sh"
VERSION=${COUNTERSIGN_S3_VERSION:-1.2.0}
APP=$CACHE/gofakes3-$VERSION
S3=$DIR/s3

build() {
  [ ! -x "$APP/gofakes3" ] || return 0
  say "building gofakes3 $VERSION"
  GOBIN=$APP GOFLAGS=-buildvcs=false go install "github.com/johannesboyne/gofakes3/cmd/gofakes3@v$VERSION" >"$DIR/s3-build.log" 2>&1 ||
    { show_log "$DIR/s3-build.log"; die "gofakes3 could not be built"; }
}

up() {
  [ -x "$APP/gofakes3" ] || need go golang-go
  need curl curl
  locked s3 build
  mkdir -p "$S3"
  running "$S3" || {
    port_free "$S3_PORT"
    in_background "$S3" "$APP/gofakes3" -backend memory -initialbucket countersign -host "127.0.0.1:$S3_PORT"
  }
  wait_until "S3" "$S3" curl -s -m 5 "http://127.0.0.1:$S3_PORT/"
}

case ${1:-} in
  up) up; "$0" env ;;
  down) end "$S3"; rm -rf "$S3" ;;
  env) echo "export COUNTERSIGN_TEST_S3=http://127.0.0.1:$S3_PORT" ;;
  *) die "usage: up | down | env" ;;
esac
