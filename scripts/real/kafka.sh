#!/usr/bin/env bash
# kafka.sh up | down | env | kill NODE | start NODE: Apache Kafka (KRaft) from Maven Central's jars, loopback only, without Docker.
# Node i listens on PORT+3(i-1) (plain), +1 (controller) and +2 (SASL/PLAIN). An authorizer is on: the plain listener's anonymous user
# may do anything, who comes through SASL (user and password are the principal's name) only what ACLs allow.
source "$(dirname "$0")/part.sh"
VERSION=${COUNTERSIGN_KAFKA_VERSION:-4.3.1}
LIBS=$CACHE/kafka-$VERSION
KAFKA=$DIR/kafka
PRINCIPALS='admin gateway policy executor orchestrator projector standalone upstream'

download() {
  [ ! -f "$LIBS/.complete" ] || return 0
  say "downloading Kafka $VERSION (46 MB) to $LIBS"
  local tmp
  tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
  cat >"$tmp/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>countersign</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$VERSION</version>
  <exclusions><exclusion><groupId>org.scala-lang</groupId><artifactId>scala-reflect</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.4</version></dependency>
</dependencies></project>
POM
  mvn -B -q -f "$tmp/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$tmp/libs" >"$DIR/kafka-download.log" 2>&1 ||
    { rm -rf "$tmp"; show_log "$DIR/kafka-download.log"; die "Kafka $VERSION could not be downloaded"; }
  touch "$tmp/libs/.complete"
  rm -rf "$LIBS"
  mv "$tmp/libs" "$LIBS"
  rm -rf "$tmp"
}

bootstrap() { # bootstrap OFFSET: the nodes' addresses on one of their listeners
  local i list=
  for i in $(seq "$NODES"); do list+=${list:+,}127.0.0.1:$((PORT + 3 * (i - 1) + $1)); done
  echo "$list"
}

configure() { # configure NODE DIR
  local i port=$((PORT + 3 * ($1 - 1))) voters='' users='' replicas=$NODES
  for i in $(seq "$NODES"); do voters+=${voters:+,}$i@127.0.0.1:$((PORT + 3 * (i - 1) + 1)); done
  for i in $PRINCIPALS; do users+=" user_$i=\"$i\""; done
  cat >"$2/server.properties" <<CONF
process.roles=broker,controller
node.id=$1
controller.quorum.voters=$voters
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1)),SASL://127.0.0.1:$((port + 2))
advertised.listeners=PLAINTEXT://127.0.0.1:$port,SASL://127.0.0.1:$((port + 2))
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl.sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required$users;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:admin
log.dirs=$2/data
default.replication.factor=$replicas
min.insync.replicas=$((replicas > 1 ? replicas - 1 : 1))
unclean.leader.election.enable=false
offsets.topic.replication.factor=$replicas
offsets.topic.num.partitions=8
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
message.max.bytes=8388608
replica.fetch.max.bytes=8388608
log.segment.bytes=134217728
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
auto.create.topics.enable=false
CONF
  printf '%s\n' status=error appender.out.type=Console appender.out.name=out appender.out.layout.type=PatternLayout \
    'appender.out.layout.pattern=[%d] %p %m (%c)%n' rootLogger.level=info rootLogger.appenderRef.out.ref=out >"$2/log4j2.properties"
}

start() { # start NODE
  local dir=$KAFKA/node-$1 port=$((PORT + 3 * ($1 - 1))) p archive
  mkdir -p "$dir"
  ! running "$dir" || return 0
  for p in $port $((port + 1)) $((port + 2)); do port_free "$p"; done
  configure "$1" "$dir"
  local log4j=-Dlog4j2.configurationFile=$dir/log4j2.properties
  if [ ! -f "$dir/data/meta.properties" ]; then
    [ -f "$KAFKA/cluster.id" ] || head -c16 /dev/urandom | base64 | tr '+/' 'AB' | tr -d '=' >"$KAFKA/cluster.id"
    java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "$log4j" -cp "$LIBS/*" kafka.tools.StorageTool format --ignore-formatted \
      -t "$(cat "$KAFKA/cluster.id")" -c "$dir/server.properties" >"$dir/format.log" 2>&1 || { show_log "$dir/format.log"; die "node $1 could not be formatted"; }
  fi
  # the first orderly stop leaves an archive of loaded classes: half the CPU of every later start
  if [ -s "$LIBS/classes.jsa" ]; then archive=-XX:SharedArchiveFile=$LIBS/classes.jsa
  else archive=-XX:ArchiveClassesAtExit=$dir/classes.jsa; fi
  # it lives for minutes: the optimizing compiler and a collector with threads of its own took 7 of 18 s of CPU in a bench, and paid nothing back
  in_background "$dir" java "-Xms$HEAP" "-Xmx$HEAP" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError "$archive" -Xlog:cds=off \
    -Xlog:cds+dynamic=off -Djava.awt.headless=true "$log4j" -cp "$LIBS/*" kafka.Kafka "$dir/server.properties"
}

ready() { wait_until "Kafka node $1" "$KAFKA/node-$1" grep -q 'Kafka Server started' "$KAFKA/node-$1/log"; }

stop() { # stop NODE
  local dir=$KAFKA/node-$1
  end "$dir"
  if [ -s "$dir/classes.jsa" ] && [ ! -s "$LIBS/classes.jsa" ]; then mv "$dir/classes.jsa" "$LIBS/classes.jsa"; fi
}

case ${1:-} in
  up)
    need java openjdk-17-jre-headless
    [ -f "$LIBS/.complete" ] || need mvn maven
    locked kafka download
    for i in $(seq "$NODES"); do start "$i"; done
    for i in $(seq "$NODES"); do ready "$i"; done
    "$0" env ;;
  down)
    for node in "$KAFKA"/node-*; do [ -d "$node" ] && stop "${node##*-}" & done
    wait
    rm -rf "$KAFKA" ;;
  kill) end "$KAFKA/node-${2:?kill which node}" KILL ;;
  start) start "${2:?start which node}" && ready "$2" ;;
  env)
    echo "export COUNTERSIGN_TEST_KAFKA=$(bootstrap 0) COUNTERSIGN_TEST_KAFKA_SASL=$(bootstrap 2)"
    # for the tests that kill -9 the first node
    echo "export COUNTERSIGN_TEST_KAFKA_KILL='$(in_this_setting kafka 'kill 1')' COUNTERSIGN_TEST_KAFKA_START='$(in_this_setting kafka 'start 1')'" ;;
  *) die "usage: up | down | env | kill NODE | start NODE" ;;
esac
