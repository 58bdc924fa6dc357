#!/usr/bin/env bash
# openssl.sh up | down | env: openssl, the authority on timestamps (RFC 3161) in the tests.
source "$(dirname "$0")/part.sh"
case ${1:-} in
  up) need openssl openssl ;;
  down | env) ;;
  *) die "usage: up | down | env" ;;
esac
