#!/usr/bin/env bash
# registry.sh up | down | env: Apicurio Registry (Confluent's API) from Maven Central, in memory, loopback only, without Docker.
source "$(dirname "$0")/part.sh"
VERSION=${COUNTERSIGN_REGISTRY_VERSION:-3.0.9} # later ones need Java 21
APP=$CACHE/apicurio-$VERSION
REGISTRY=$DIR/registry
URL=http://127.0.0.1:$REGISTRY_PORT/apis/ccompat/v7

download() {
  [ ! -f "$APP/.complete" ] || return 0
  say "downloading Apicurio Registry $VERSION (109 MB) to $APP"
  local tmp
  tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
  # plugin 2.8 still knows -Ddest, and without transitivity needs no parent pom
  (cd "$tmp" && mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:2.8:get -Dtransitive=false \
    "-Dartifact=io.apicurio:apicurio-registry-app:$VERSION:tar.gz:all" -Ddest="$tmp/app.tar.gz") >"$DIR/registry-download.log" 2>&1 ||
    { rm -rf "$tmp"; show_log "$DIR/registry-download.log"; die "Apicurio $VERSION could not be downloaded"; }
  mkdir "$tmp/app"
  tar xzf "$tmp/app.tar.gz" -C "$tmp/app"
  touch "$tmp/app/.complete"
  rm -rf "$APP"
  mv "$tmp/app" "$APP"
  rm -rf "$tmp"
}

up() {
  need java openjdk-17-jre-headless
  need curl curl
  [ -f "$APP/.complete" ] || need mvn maven
  locked registry download
  mkdir -p "$REGISTRY"
  running "$REGISTRY" || {
    port_free "$REGISTRY_PORT"
    in_background "$REGISTRY" env QUARKUS_HTTP_HOST=127.0.0.1 "QUARKUS_HTTP_PORT=$REGISTRY_PORT" QUARKUS_HTTP_ACCESS_LOG_ENABLED=false \
      java "-Xmx$HEAP" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar "$APP/apicurio-registry-app-$VERSION-runner.jar"
  }
  wait_until "the registry" "$REGISTRY" curl -sf -m 5 "$URL/subjects"
  # Confluent's default is BACKWARD, Apicurio's NONE
  curl -sf -o /dev/null -X PUT -H 'content-type: application/json' -d '{"compatibility":"BACKWARD"}' "$URL/config"
}

case ${1:-} in
  up) up; "$0" env ;;
  down) end "$REGISTRY"; rm -rf "$REGISTRY" ;;
  env) echo "export COUNTERSIGN_TEST_REGISTRY=$URL" ;;
  *) die "usage: up | down | env" ;;
esac
