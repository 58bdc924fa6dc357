"""Asks for one call on Kafka as Avro and waits for its answer: confluent-kafka, nothing of Countersign's.

    pip install -r examples/producers/requirements.txt
    KAFKA_BROKERS=… SCHEMA_REGISTRY_URL=… PRODUCER_ID=acme python examples/producers/produce.py write_file '{"path":"a.txt","content":"x","mode":"create"}'

KAFKA_USERNAME and KAFKA_PASSWORD: the producer's user, where the cluster asks for one. TOPIC_PREFIX: where the installation has one.
"""

import json
import os
import sys
import time
import uuid

from confluent_kafka import Consumer, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

RECORD = "countersign.producer.tool_call_requested"

producer_id = os.environ["PRODUCER_ID"]
prefix = os.environ.get("TOPIC_PREFIX", "")
requests = f"{prefix}tool-call-requested.from.{producer_id}"
answers = f"{prefix}tool-call-answered.to.{producer_id}"
cluster = {"bootstrap.servers": os.environ["KAFKA_BROKERS"]}
if "KAFKA_USERNAME" in os.environ:
    cluster |= {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": os.environ["KAFKA_USERNAME"],
        "sasl.password": os.environ["KAFKA_PASSWORD"],
    }

# Countersign takes its own schemas only, so the one that it published is used as it stands.
registry = SchemaRegistryClient({"url": os.environ["SCHEMA_REGISTRY_URL"]})
schema = registry.get_latest_version(RECORD).schema
serializer = AvroSerializer(
    registry,
    schema,
    conf={"auto.register.schemas": False, "subject.name.strategy": record_subject_name_strategy},
)

request_id = str(uuid.uuid4())
tool, inputs = sys.argv[1], json.loads(sys.argv[2])
request = {"tool": tool, "inputs_json": json.dumps(inputs), "context_json": json.dumps({"request_id": request_id})}

# Listens before it asks: an answer may come within milliseconds.
consumer = Consumer(
    cluster | {"group.id": f"{prefix}producer.{producer_id}.{uuid.uuid4()}", "auto.offset.reset": "earliest"}
)
consumer.subscribe([answers])

place = {}


def delivered(error, message):
    if error is not None:
        sys.exit(f"not written: {error}")
    place.update(partition=message.partition(), offset=message.offset())


# Any compression and any partitioner will do.
producer = Producer(cluster | {"enable.idempotence": True, "compression.type": "zstd"})
value = serializer(request, SerializationContext(requests, MessageField.VALUE))
producer.produce(requests, key=request_id, value=value, on_delivery=delivered)
producer.flush(10)


def is_answer(message, body):
    headers = {name: (text or b"").decode() for name, text in message.headers() or []}
    if headers["event_type"] == "tool_call_answered":
        return headers.get("request_id") == request_id and body["status"] != "pending_approval"
    return all(body["request"][name] == at for name, at in place.items())


until = time.monotonic() + float(os.environ.get("WAIT_MS", "30000")) / 1000
while time.monotonic() < until:
    message = consumer.poll(0.2)
    if message is None or message.error():
        continue
    answer = json.loads(message.value())
    if is_answer(message, answer):
        print(json.dumps(answer))
        consumer.close()
        sys.exit(0)
sys.exit("no answer; the call may still end: its answer comes on the topic")
