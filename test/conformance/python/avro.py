"""The binary encoding of the Avro specification, in the Confluent wire format."""
import hashlib
import json
import struct

from refused import must


class Reader:
    def __init__(self, data):
        self.data, self.at, self.names = data, 0, {}

    def take(self, count):
        must(0 <= count <= len(self.data) - self.at, "a value is truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def long(self):
        shift = result = 0
        while True:
            byte = self.take(1)[0]
            result |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return (result >> 1) ^ -(result & 1)

    def blocks(self, one):
        items = []
        while (count := self.long()) != 0:
            if count < 0:
                self.long()
            for _ in range(abs(count)):
                items.append(one())
        return items

    def full_name(self, name, namespace):
        return name if "." in name or not namespace else f"{namespace}.{name}"

    def read(self, schema, namespace=""):
        if isinstance(schema, list):
            return self.read(schema[self.long()], namespace)
        if isinstance(schema, str):
            primitive = getattr(self, "read_" + schema, None)
            return primitive() if primitive else self.read_named(*self.names[self.full_name(schema, namespace)])
        kind = schema["type"]
        if kind in ("record", "enum", "fixed"):
            namespace = schema.get("namespace", namespace)
            self.names[self.full_name(schema["name"], namespace)] = (schema, namespace)
            return self.read_named(schema, namespace)
        if kind == "array":
            return self.blocks(lambda: self.read(schema["items"], namespace))
        if kind == "map":
            return dict(self.blocks(lambda: (self.read_string(), self.read(schema["values"], namespace))))
        return self.read(kind, namespace)

    def read_named(self, schema, namespace):
        if schema["type"] == "enum":
            return schema["symbols"][self.long()]
        if schema["type"] == "fixed":
            return self.take(schema["size"])
        return {field["name"]: self.read(field["type"], namespace) for field in schema["fields"]}

    def read_null(self):
        return None

    def read_boolean(self):
        return self.take(1) == b"\1"

    def read_int(self):
        return self.long()

    read_long = read_int

    def read_float(self):
        return struct.unpack("<f", self.take(4))[0]

    def read_double(self):
        return struct.unpack("<d", self.take(8))[0]

    def read_bytes(self):
        return self.take(self.long())

    def read_string(self):
        return self.read_bytes().decode()


def register(schema, reader, namespace=""):
    """Named types may be used before the reader meets their definition in a branch that is not taken."""
    if isinstance(schema, list):
        for branch in schema:
            register(branch, reader, namespace)
    elif isinstance(schema, dict):
        if schema["type"] in ("record", "enum", "fixed"):
            namespace = schema.get("namespace", namespace)
            reader.names[reader.full_name(schema["name"], namespace)] = (schema, namespace)
        for field in schema.get("fields", []):
            register(field["type"], reader, namespace)
        for part in ("items", "values"):
            if part in schema:
                register(schema[part], reader, namespace)
        if isinstance(schema["type"], (dict, list)):
            register(schema["type"], reader, namespace)


def plain(value):
    """A value as JSON shows it: Node writes bytes as an object of this form."""
    if isinstance(value, bytes):
        return {"type": "Buffer", "data": list(value)}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def read_value(value, schema_text, trusted):
    """The schema's name and the event in a value: one byte 0, the schema id, and the Avro bytes."""
    must(value[:1] == b"\0" and len(value) > 5, "a value is not in the Confluent wire format")
    must(not trusted or hashlib.sha256(schema_text.encode()).hexdigest() in trusted, "a schema is not one of those that are trusted")
    schema = json.loads(schema_text)
    reader = Reader(value[5:])
    register(schema, reader)
    event = reader.read(schema)
    must(reader.at == len(reader.data), "a value has more bytes than its event")
    return schema["name"], event


def schema_id(value):
    return str(struct.unpack(">I", value[1:5])[0])
