#!/usr/bin/env bash
# postgres.sh up | down | env | kill: PostgreSQL 15 from Debian's packages, loopback only, one role (countersign, may create databases), no password.
source "$(dirname "$0")/part.sh"
BIN=${COUNTERSIGN_POSTGRES_BIN:-/usr/lib/postgresql/15/bin}
DATA=$POSTGRES_DIR/data

as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@" 9>&-); else "$@" 9>&-; fi
}

answers() { is_ours "$(head -1 "$DATA/postmaster.pid" 2>/dev/null)" "$DATA" && "$BIN/pg_isready" -q -h 127.0.0.1 -p "$POSTGRES_PORT"; }

up() {
  [ -x "$BIN/postgres" ] || need "$BIN/postgres" postgresql-15
  ! answers || return 0
  port_free "$POSTGRES_PORT"
  mkdir -p "$POSTGRES_DIR"
  [ "$(id -u)" != 0 ] || chown postgres "$POSTGRES_DIR"
  [ -f "$DATA/PG_VERSION" ] || as_postgres "$BIN/initdb" -D "$DATA" -U countersign --auth=trust -E UTF8 --no-locale >"$DIR/initdb.log" 2>&1 ||
    { show_log "$DIR/initdb.log"; die "initdb failed"; }
  as_postgres "$BIN/pg_ctl" -D "$DATA" -l "$POSTGRES_DIR/log" -w -t "$WAIT_S" \
    -o "-p $POSTGRES_PORT -h 127.0.0.1 -k $POSTGRES_DIR -c max_connections=200" start >/dev/null 2>&1 || { show_log "$POSTGRES_DIR/log"; die "Postgres did not start"; }
  "$BIN/psql" -qAt -h 127.0.0.1 -p "$POSTGRES_PORT" -U countersign -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'countersign'" | grep -q 1 ||
    "$BIN/createdb" -h 127.0.0.1 -p "$POSTGRES_PORT" -U countersign countersign
}

down() {
  local pid
  pid=$(head -1 "$DATA/postmaster.pid" 2>/dev/null || true)
  ! is_ours "$pid" "$DATA" || as_postgres "$BIN/pg_ctl" -D "$DATA" -m fast -w stop >/dev/null 2>&1 || kill -QUIT "$pid" 2>/dev/null || true
  rm -rf "$POSTGRES_DIR"
}

# as a crash would: no checkpoint, no goodbye
kill_all() {
  local pid
  pid=$(head -1 "$DATA/postmaster.pid" 2>/dev/null || true)
  ! is_ours "$pid" "$DATA" || as_postgres "$BIN/pg_ctl" -D "$DATA" -m immediate -w stop >/dev/null
}

case ${1:-} in
  up) up; "$0" env ;;
  down) down ;;
  kill) kill_all ;;
  env)
    echo "export COUNTERSIGN_TEST_DATABASE_URL=postgresql://countersign@127.0.0.1:$POSTGRES_PORT/countersign"
    echo "export COUNTERSIGN_TEST_POSTGRES_KILL='$(in_this_setting postgres kill)' COUNTERSIGN_TEST_POSTGRES_START='$(in_this_setting postgres up)'" ;;
  *) die "usage: up | down | env | kill" ;;
esac
