#!/usr/bin/env bash
# redis.sh up | down | env | kill: Redis from Debian's packages, loopback only, nothing kept on disk.
source "$(dirname "$0")/part.sh"
REDIS=$DIR/redis

up() {
  need redis-server redis-server
  need redis-cli redis-tools
  mkdir -p "$REDIS"
  running "$REDIS" || {
    port_free "$REDIS_PORT"
    in_background "$REDIS" redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --save '' --appendonly no --dir "$REDIS"
  }
  wait_until Redis "$REDIS" redis-cli -h 127.0.0.1 -p "$REDIS_PORT" ping
}

case ${1:-} in
  up) up; "$0" env ;;
  down) end "$REDIS"; rm -rf "$REDIS" ;;
  kill) end "$REDIS" KILL ;;
  env)
    echo "export COUNTERSIGN_TEST_REDIS_URL=redis://127.0.0.1:$REDIS_PORT/0"
    echo "export COUNTERSIGN_TEST_REDIS_KILL='$(in_this_setting redis kill)' COUNTERSIGN_TEST_REDIS_START='$(in_this_setting redis up)'" ;;
  *) die "usage: up | down | env | kill" ;;
esac
