#!/usr/bin/env bash
# tryton.sh up | down | env: the ERP Tryton 7.0 on a Postgres 15 of its own, seeded once (tryton-seed.py) and kept in the cache, loopback only.
source "$(dirname "$0")/part.sh"
BIN=${COUNTERSIGN_POSTGRES_BIN:-/usr/lib/postgresql/15/bin}
GUARD=$root/packs/operations/tryton-module
VENV=$CACHE/tryton-$(cksum <"$here/tryton-requirements.txt" | cut -d' ' -f1)
SEED=$CACHE/tryton-seed-$(cat "$here"/tryton-{requirements.txt,seed.py} "$GUARD"/* | cksum | cut -d' ' -f1).tar
TRYTON=$DIR/tryton
DATABASE=erp
# Postgres refuses root and its own user can't enter a private checkout
if [ "$(id -u)" = 0 ]; then CLUSTER=${TMPDIR:-/tmp}/countersign-tryton-$(cksum <<<"$DIR" | cut -d' ' -f1); else CLUSTER=$TRYTON/postgres; fi
DATA=$CLUSTER/data

as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@" 9>&-); else "$@" 9>&-; fi
}
sql() { "$BIN/psql" -qAt -h 127.0.0.1 -p "$TRYTON_DB_PORT" -U countersign -d postgres -c "$1" >/dev/null; }
answers() { is_ours "$(head -1 "$DATA/postmaster.pid" 2>/dev/null)" "$DATA"; }

install() {
  [ ! -x "$VENV/bin/trytond" ] || return 0
  say "installing Tryton 7.0 into $CACHE"
  local tmp
  tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
  { python3 -m venv "$VENV" && "$VENV/bin/pip" install -q -r "$here/tryton-requirements.txt"; } >"$DIR/tryton-install.log" 2>&1 ||
    { rm -rf "$VENV" "$tmp"; show_log "$DIR/tryton-install.log"; die "Tryton could not be installed"; }
  rm -rf "$tmp"
}

config() {
  mkdir -p "$TRYTON"
  cat >"$TRYTON/trytond.conf" <<C
[database]
uri = postgresql://tryton@127.0.0.1:$TRYTON_DB_PORT
path = $TRYTON
default_name = $DATABASE
[web]
listen = 127.0.0.1:$TRYTON_PORT
[session]
authentications = password
timeout = 600
[password]
length = 4
C
}

start_database() {
  answers || as_postgres "$BIN/pg_ctl" -D "$DATA" -l "$CLUSTER/log" -w -t "$WAIT_S" \
    -o "-p $TRYTON_DB_PORT -h 127.0.0.1 -k $CLUSTER -c shared_buffers=32MB" start >/dev/null 2>&1 || { show_log "$CLUSTER/log"; die "the Postgres of Tryton did not start"; }
}
stop_database() { ! answers || as_postgres "$BIN/pg_ctl" -D "$DATA" -m fast -w stop >/dev/null 2>&1; }

# The role ends what runs for long: so the absence of a write is final after settle_ms.
seed() {
  say "seeding Tryton, once (a minute or two)"
  as_postgres "$BIN/initdb" -D "$DATA" -U countersign --auth=trust -E UTF8 --no-locale
  start_database
  sql "CREATE ROLE tryton LOGIN"
  sql "CREATE DATABASE $DATABASE OWNER tryton"
  local modules=(party product company account account_product account_invoice stock purchase sale production account_invoice_stock countersign_guard)
  rm -rf "$VENV"/lib/python3*/site-packages/trytond/modules/countersign_guard
  cp -r "$GUARD" "$(echo "$VENV"/lib/python3*/site-packages/trytond/modules)/countersign_guard"
  echo -n admin >"$TRYTON/pass"
  TRYTONPASSFILE=$TRYTON/pass "$VENV/bin/trytond-admin" -c "$TRYTON/trytond.conf" -d "$DATABASE" --all --email admin@example.com --password
  "$VENV/bin/trytond-admin" -c "$TRYTON/trytond.conf" -d "$DATABASE" --activate-dependencies -u "${modules[@]}"
  "$VENV/bin/python" "$here/tryton-seed.py" "$TRYTON/trytond.conf" "$DATABASE"
  sql "ALTER ROLE tryton SET statement_timeout = '5s'"
  sql "ALTER ROLE tryton SET idle_in_transaction_session_timeout = '5s'"
  stop_database
  tar -C "$CLUSTER" -cf "$SEED.$$" data && mv "$SEED.$$" "$SEED"
}

restore() {
  mkdir -p "$CLUSTER"
  [ "$(id -u)" != 0 ] || chown postgres "$CLUSTER"
  [ ! -f "$DATA/PG_VERSION" ] || return 0
  if [ ! -f "$SEED" ]; then
    seed >"$DIR/tryton-seed.log" 2>&1 || { show_log "$DIR/tryton-seed.log"; stop_database; rm -rf "$CLUSTER"; die "Tryton could not be seeded"; }
  else
    as_postgres tar -C "$CLUSTER" -xf - <"$SEED"
  fi
}

up() {
  need python3 python3-venv
  [ -x "$BIN/postgres" ] || need "$BIN/postgres" postgresql-15
  need curl curl
  locked tryton install
  config
  running "$TRYTON" || {
    port_free "$TRYTON_PORT"
    locked tryton restore
    start_database
    in_background "$TRYTON" "$VENV/bin/trytond" -c "$TRYTON/trytond.conf" -d "$DATABASE"
  }
  # It answers 401 without a session, as soon as it serves the database.
  wait_until Tryton "$TRYTON" curl -s -o /dev/null -m 5 "http://127.0.0.1:$TRYTON_PORT/$DATABASE/" -H 'content-type: application/json' \
    -d '{"id":1,"method":"model.res.user.get_preferences","params":[true,{}]}'
}

down() {
  end "$TRYTON"
  stop_database || true
  rm -rf "$TRYTON" "$CLUSTER"
}

case ${1:-} in
  up) up; "$0" env ;;
  down) down ;;
  env) echo "export COUNTERSIGN_TEST_TRYTON=http://127.0.0.1:$TRYTON_PORT/$DATABASE/" ;;
  *) die "usage: up | down | env" ;;
esac
