#!/bin/bash
# One Kafka node, broker and controller in one. Whoever comes over the network signs in with SCRAM; what the node says to
# itself stays on its loopback. The password is written when the volume is new; later, kafka-configs.sh changes it.
set -euo pipefail
umask 077
settings=/tmp/server.properties
data=/var/lib/kafka/data/log

cat > "$settings" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:9093
listeners=CLIENT://:9092,INTERNAL://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093
advertised.listeners=CLIENT://kafka:9092,INTERNAL://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=INTERNAL
controller.listener.names=CONTROLLER
listener.name.client.sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=$data
default.replication.factor=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
auto.create.topics.enable=false
PROPERTIES

if [ ! -e "$data/meta.properties" ]; then
  # What this prints has the keys in it that are derived from the password. That comes by a pipe, as a file of arguments, one
  # to a line: those of a command are for every process to see.
  /opt/kafka/bin/kafka-storage.sh format --standalone --cluster-id "$(/opt/kafka/bin/kafka-storage.sh random-uuid)" --config "$settings" \
    "@"<(printf '%s\n' --add-scram "SCRAM-SHA-512=[name=gatehouse,password=$KAFKA_PASSWORD]") > /dev/null
fi
exec /opt/kafka/bin/kafka-server-start.sh "$settings"
