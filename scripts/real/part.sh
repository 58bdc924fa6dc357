# Sourced by the scripts beside it: where the real parts live, which ports they use, how they start and how they end.
#   COUNTERSIGN_REAL_PORT   first of 19 loopback ports (default 19200)   COUNTERSIGN_REAL_DIR   their files (default .real in the repository)
#   COUNTERSIGN_REAL_NODES  1 or 3 Kafka nodes (default 1)               COUNTERSIGN_CACHE      downloads, shared by all checkouts
#   COUNTERSIGN_REAL_HEAP   heap of each JVM (default 384m)              COUNTERSIGN_REAL_WAIT_S  how long a part may take to answer (default 120)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
PORT=${COUNTERSIGN_REAL_PORT:-19200}
NODES=${COUNTERSIGN_REAL_NODES:-1}
HEAP=${COUNTERSIGN_REAL_HEAP:-384m}
WAIT_S=${COUNTERSIGN_REAL_WAIT_S:-120}
CACHE=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}
DIR=${COUNTERSIGN_REAL_DIR:-$root/.real}
mkdir -p "$DIR" "$CACHE"
DIR=$(cd "$DIR" && pwd) CACHE=$(cd "$CACHE" && pwd)
REGISTRY_PORT=$((PORT + 10)) POSTGRES_PORT=$((PORT + 11)) REDIS_PORT=$((PORT + 12)) S3_PORT=$((PORT + 13)) MAIL_PORT=$((PORT + 14)) TRYTON_PORT=$((PORT + 17)) TRYTON_DB_PORT=$((PORT + 18))
# Postgres refuses root and its own user can't enter a private checkout
if [ "$(id -u)" = 0 ]; then POSTGRES_DIR=${TMPDIR:-/tmp}/countersign-postgres-$(cksum <<<"$DIR" | cut -d' ' -f1); else POSTGRES_DIR=$DIR/postgres; fi

# in_this_setting SCRIPT ACTION: a command that does it in the environment that started the parts, for tests that kill them
in_this_setting() {
  echo "env COUNTERSIGN_REAL_PORT=$PORT COUNTERSIGN_REAL_NODES=$NODES COUNTERSIGN_REAL_HEAP=$HEAP COUNTERSIGN_REAL_DIR=$DIR COUNTERSIGN_CACHE=$CACHE bash $here/$1.sh $2"
}

say() { echo "$(basename "$0" .sh): $*" >&2; }
die() { say "$*"; exit 1; }

# show_log FILE: the end of a log, where a part failed
show_log() { [ ! -f "$1" ] || { echo "--- the end of $1" >&2; tail -n 40 "$1" >&2; }; }

# is_ours PID DIR: whether the process works in that directory of ours; nothing else is ever signalled
is_ours() { [ -n "${1:-}" ] && [ "$(readlink "/proc/$1/cwd" 2>/dev/null)" = "$2" ]; }

# running DIR: whether the part that recorded its pid in DIR/pid is alive
running() { [ -f "$1/pid" ] && is_ours "$(cat "$1/pid")" "${2:-$1}"; }

# port_free PORT: fails if a process still listens there after 20 s
port_free() {
  for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0; sleep 0.2; done
  die "port $1 is taken by something else; set COUNTERSIGN_REAL_PORT"
}

# gone PID: whether none of its threads is left. A killed process loses its directory with its first thread and its ports with its last.
gone() { [ ! -e "/proc/$1" ] || grep -qs '^State:[[:space:]]*Z' "/proc/$1/status" && [ "$(ls "/proc/$1/task" 2>/dev/null | wc -l)" -le 1 ]; }

# in_background DIR COMMAND...: starts it in DIR, detached, its output in DIR/log (that of its last life in DIR/log.before), its pid in DIR/pid
in_background() {
  local dir=$1
  shift
  [ ! -s "$dir/log" ] || mv "$dir/log" "$dir/log.before"
  (cd "$dir" && exec setsid nohup "$@" >"$dir/log" 2>&1 </dev/null 9>&-) &
  echo $! >"$dir/pid"
}

# wait_until WHAT DIR COMMAND...: until COMMAND succeeds; fails with the log's end where the part died or is too slow
wait_until() {
  local what=$1 dir=$2 deadline=$((SECONDS + WAIT_S))
  shift 2
  sleep 0.2
  until "$@" >/dev/null 2>&1; do
    running "$dir" || { show_log "$dir/log"; die "$what died"; }
    [ $SECONDS -lt "$deadline" ] || { show_log "$dir/log"; die "$what does not answer after ${WAIT_S}s"; }
    sleep 0.2
  done
}

# end DIR [SIGNAL]: ends the part that lives in DIR and waits until it has exited
end() {
  local dir=$1 pid
  [ -f "$dir/pid" ] || return 0
  pid=$(cat "$dir/pid")
  if is_ours "$pid" "$dir"; then
    kill "-${2:-TERM}" "$pid" 2>/dev/null || true
    for _ in $(seq 200); do ! gone "$pid" || break; sleep 0.1; done
    ! is_ours "$pid" "$dir" || kill -KILL "$pid" 2>/dev/null || true
    for _ in $(seq 200); do ! gone "$pid" || break; sleep 0.1; done
  fi
  rm -f "$dir/pid"
}

# need COMMAND PACKAGE: the command, installed from Debian where it is missing and we may
need() {
  ! command -v "$1" >/dev/null || return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || die "$1 is missing: install the package $2"
  say "installing $2"
  (export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2") >"$DIR/apt.log" 2>&1 ||
    { show_log "$DIR/apt.log"; die "$2 could not be installed"; }
}

# locked NAME COMMAND...: one at a time on this machine (checkouts share the cache)
locked() {
  local name=$1
  shift
  (flock 9; "$@") 9>"$CACHE/$name.lock"
}
