#!/usr/bin/env bash
# mail.sh up | down | env: GreenMail (SMTP, POP3 and an HTTP API over one mailbox store in memory) from Maven Central, loopback only.
source "$(dirname "$0")/part.sh"
VERSION=${COUNTERSIGN_MAIL_VERSION:-2.1.13}
JAR=$CACHE/greenmail-standalone-$VERSION.jar
MAIL=$DIR/mail
API_PORT=$((MAIL_PORT + 1)) POP3_PORT=$((MAIL_PORT + 2))

download() {
  [ ! -f "$JAR" ] || return 0
  say "downloading GreenMail $VERSION (11 MB) to $CACHE"
  local tmp
  tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
  (cd "$tmp" && mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dmdep.useBaseVersion=true \
    "-Dartifact=com.icegreen:greenmail-standalone:$VERSION" -DoutputDirectory="$tmp") >"$DIR/mail-download.log" 2>&1 ||
    { rm -rf "$tmp"; show_log "$DIR/mail-download.log"; die "GreenMail $VERSION could not be downloaded"; }
  mv "$tmp/greenmail-standalone-$VERSION.jar" "$JAR"
  rm -rf "$tmp"
}

up() {
  need java openjdk-17-jre-headless
  need curl curl
  [ -f "$JAR" ] || need mvn maven
  locked mail download
  mkdir -p "$MAIL"
  running "$MAIL" || {
    local options=() port
    for port in "smtp:$MAIL_PORT" "api:$API_PORT" "pop3:$POP3_PORT"; do
      port_free "${port#*:}"
      options+=("-Dgreenmail.${port%:*}.hostname=127.0.0.1" "-Dgreenmail.${port%:*}.port=${port#*:}")
    done
    in_background "$MAIL" java -Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${options[@]}" \
      -Dgreenmail.users=gate:secret@example.org,ann:hers@example.org -Dgreenmail.users.login=email -jar "$JAR"
  }
  wait_until "the mail server" "$MAIL" curl -sf -m 5 "http://127.0.0.1:$API_PORT/api/service/readiness"
}

case ${1:-} in
  up) up; "$0" env ;;
  down) end "$MAIL"; rm -rf "$MAIL" ;;
  env) echo "export COUNTERSIGN_TEST_SMTP=127.0.0.1:$MAIL_PORT COUNTERSIGN_TEST_POP3=127.0.0.1:$POP3_PORT" ;;
  *) die "usage: up | down | env" ;;
esac
