#!/usr/bin/env python3
"""An independent verifier of bundles: python3 verify_bundle.py [--witness [heads:]VKEY ...] BUNDLE VKEY [SCHEMA_SHA256 ...]

Written from public specifications only: RFC 8032 (Ed25519), RFC 9162 (Merkle trees), C2SP signed-note, tlog-checkpoint and
tlog-cosignature, the Avro specification (binary encoding), and docs/decisions/0006 and 0029 with docs/reference/proofs.md for the leaf formats.
Uses the standard library only. Exit code 0: verified; 1: refused, with the reason.
"""
import base64
import hashlib
import json
import re
import struct
import sys


class Refused(Exception):
    pass


def must(holds, reason):
    if not holds:
        raise Refused(reason)


def from_base64(text):
    """The bytes of a text that is the one way to write them."""
    data = base64.b64decode(text, validate=True)
    must(base64.b64encode(data).decode() == text, "a base64 text has something more in it")
    return data


# --- Ed25519 verification (RFC 8032 section 5.1.7) ---
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P:
        return None
    return P - x if (x & 1) != sign else x


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    g, h, i, j = f - e, d - c, d + c, f + e
    return (g * h % P, i * j % P, h * i % P, g * j % P)


def times(n, point):
    result = (0, 1, 1, 0)
    while n:
        if n & 1:
            result = add(result, point)
        point, n = add(point, point), n >> 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ed25519_verifies(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- C2SP signed-note, tlog-checkpoint and tlog-cosignature ---
ED25519, COSIGNATURE_V1 = 1, 4


def key_of(vkey, kind):
    """Name, key hash and public key of a verifier key of this kind."""
    name, key_hash, encoded = vkey.split("+", 2)
    typed = from_base64(encoded)
    must(typed[0] == kind and len(typed) == 33, "the key is not of its kind")
    expected = hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]
    must(expected.hex() == key_hash, "the key's hash is not that of its name and bytes")
    return name, expected, typed[1:]


def signatures_of(note, name, key_hash):
    """What is signed, and the signatures of one key under it."""
    split = note.rfind("\n\n")
    must(split >= 0 and note.endswith("\n"), "the checkpoint is no note")
    found = []
    for line in note[split + 2 : -1].split("\n"):
        dash, signer, blob = line.split(" ")
        raw = from_base64(blob)
        if dash == "\u2014" and signer == name and raw[:4] == key_hash:
            found.append(raw[4:])
    return note[: split + 1], found


def open_checkpoint(note, vkey):
    name, key_hash, public = key_of(vkey, ED25519)
    text, found = signatures_of(note, name, key_hash)
    must(found, "the checkpoint is not signed by this key")
    for signature in found:
        must(ed25519_verifies(public, text.encode(), signature), "the checkpoint's signature is wrong")
    origin, size, root = text.split("\n")[:3]
    must(origin == name, "the checkpoint is another log's")
    must(size.isascii() and size.isdigit() and str(int(size)) == size, "the checkpoint has no size")
    return int(size), from_base64(root)


def check_witness(note, witness):
    """What a witness had checked when it cosigned: `heads:` marks the key of one that checks every tree of every entry."""
    checks = "heads" if witness.startswith("heads:") else "entries"
    name, key_hash, public = key_of(witness.removeprefix("heads:"), COSIGNATURE_V1)
    text, found = signatures_of(note, name, key_hash)
    for raw in found:
        message = f"cosignature/v1\ntime {int.from_bytes(raw[:8], 'big')}\n{text}".encode()
        if ed25519_verifies(public, message, raw[8:]):
            return checks
    raise Refused(f"the checkpoint is not cosigned by {name}")


# --- RFC 9162 ---
def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_from_path(leaf, index, size, path):
    """Section 2.1.3.2."""
    must(0 <= index < size, "an index lies outside its tree")
    fn, sn, r = index, size - 1, leaf
    for p in path:
        must(sn != 0 and len(p) == 32, "a path is too long")
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    must(sn == 0, "a path is too short")
    return r


def hashes(path):
    return [from_base64(text) for text in path]


# --- the three leaves of docs/decisions/0006 ---
def counted(data):
    return struct.pack(">I", len(data)) + data


def record_leaf(record, value):
    parts = [b"countersign/record/v1\n", counted(record["topic"].encode())]
    parts.append(struct.pack(">IQQ", record["partition"], record["offset"], record["timestamp_ms"]))
    key = record["key"]
    parts.append(struct.pack(">I", 0) if key is None else struct.pack(">I", 1) + counted(key.encode()))
    headers = sorted((name.encode(), text.encode()) for name, text in record["headers"].items())
    parts.append(struct.pack(">I", len(headers)))
    for name, text in headers:
        parts += [counted(name), counted(text)]
    parts.append(counted(value))
    return b"".join(parts)


def lines(*texts):
    return "".join(str(text) + "\n" for text in texts).encode()


def head_leaf(topic, partition, size, root, generation=None):
    """A tree that is not the original one of its partition says which it is (docs/decisions/0029)."""
    grown = (size, base64.b64encode(root).decode())
    if generation is None:
        return leaf_hash(lines("countersign/tree/v1", topic, partition, *grown))
    number, base, decision = check_generation(generation)
    return leaf_hash(lines("countersign/tree/v2", topic, partition, number, base, decision, *grown))


UUID = re.compile(r"[0-9a-f-]{36}\Z")


def check_generation(generation):
    number, base, decision = (generation[name] for name in ("number", "base_offset", "decision"))
    must(len(generation) == 3 and type(number) is int and number >= 2 and type(base) is int and base >= 0, "no generation of a tree")
    must(type(decision) is str and UUID.match(decision), "a generation has no decision")
    return number, base, decision


def check_place(record, value, size, root):
    proof = record["proof"]
    tree, head, entry = proof["tree"], proof["head"], proof["entry"]
    # A witness may have skipped an earlier entry: only the last one of a checkpoint proves.
    must(entry["number"] == size - 1, "an entry is not the last one of its checkpoint")
    generation = tree.get("generation")
    base = 0 if generation is None else check_generation(generation)[1]
    own = root_from_path(leaf_hash(record_leaf(record, value)), record["offset"] - base, tree["size"], hashes(tree["path"]))
    leaf = head_leaf(record["topic"], record["partition"], tree["size"], own, generation)
    heads = root_from_path(leaf, head["index"], entry["trees"], hashes(head["path"]))
    text = lines("countersign/checkpoint/v1", entry["number"], entry["time_ms"], entry["trees"], base64.b64encode(heads).decode())
    must(root_from_path(leaf_hash(text), entry["number"], size, hashes(entry["path"])) == root, "a record is not under the checkpoint")


# --- Avro binary encoding ---
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


def read_event(record, value, schemas, trusted):
    must(value[:1] == b"\0" and len(value) > 5, "a value is not in the Confluent wire format")
    text = schemas[str(struct.unpack(">I", value[1:5])[0])]
    must(not trusted or hashlib.sha256(text.encode()).hexdigest() in trusted, "a schema is not one of those that are trusted")
    schema = json.loads(text)
    reader = Reader(value[5:])
    register(schema, reader)
    event = plain(reader.read(schema))
    must(reader.at == len(reader.data), "a value has more bytes than its event")
    must(event == record["event"] and schema["name"] == record["event_type"], "an event is shown as something else")
    return event


# --- what the records of a call add up to (docs/auditors.md) ---
APPROVAL_ENDS = {
    "approval_granted": "granted",
    "approval_denied": "denied",
    "approval_expired": "expired",
    "call_cancelled": "cancelled",
}


def newest(records, types):
    """Of the highest revision the first record."""
    found = [record for record in records if record["event_type"] in types]
    return min(found, key=lambda record: (-record["event"]["revision"], record["offset"]), default=None)


def result_of(records):
    """The status that execution gave the call, None while it gave none. The first end counts; a doubt waits for one."""
    epoch, doubt = None, False
    for record in records:
        kind, event = record["event_type"], record["event"]
        if kind == "tool_call_started":
            epoch = event["epoch"] if epoch is None else max(epoch, event["epoch"])
        elif kind == "tool_call_in_doubt":
            doubt = True
        elif kind in ("tool_retry_deduplicated", "tool_call_resolved"):
            return event["outcome"]["status"]
        elif kind == "tool_executed" and (doubt or epoch is None or event["epoch"] >= epoch):
            return event["outcome"]["status"]
    return "in_doubt" if doubt else None


def status_of(records):
    result = result_of(records)
    if result is not None:
        return result
    ruling = newest(records, {"policy_decided"})
    revision = ruling["event"]["revision"] if ruling else 0
    final = [record for record in records if record["event_type"] != "call_cancelled" or record["event"]["final"]]
    end = newest(final, APPROVAL_ENDS)
    if end and end["event"]["revision"] >= revision:
        kind = APPROVAL_ENDS[end["event_type"]]
        return "running" if kind == "granted" else kind
    if any(record["event_type"] == "tool_call_started" and record["event"]["revision"] >= revision for record in records):
        return "running"
    effects = {"deny": "denied", "require_approval": "pending_approval", "allow": "running"}
    return effects.get(ruling["event"]["effect"], "pending_policy") if ruling else "pending_policy"


def call_of(call_id, records):
    def told(kind, tell):
        return [tell(record["event"], record["timestamp_ms"]) for record in records if record["event_type"] == kind]

    requests = told("tool_call_requested", lambda event, _: event["call"])
    must(requests, "a call lacks the record of its request")
    names = ("decision_id", "revision", "effect", "rule", "bundle_version")
    return {
        "call_id": call_id,
        "status": status_of(records),
        "tool": requests[0]["tool"],
        "rulings": told("policy_decided", lambda event, _: {name: event[name] for name in names}),
        "viewed": told("approval_viewed", lambda event, at_ms: {"by": event["viewer"]["id"], "at_ms": at_ms}),
        "votes": told("approval_voted", lambda event, at_ms: {"by": event["voter"]["id"], "vote": event["vote"], "at_ms": at_ms}),
    }, requests[0]["case_id"]


# --- the bundle ---
MEMBERS = {
    "bundle": {"format", "tenant_id", "subject", "made_at_ms", "calls", "records", "schemas", "checkpoint", "vkey"},
    "record": {"topic", "partition", "offset", "timestamp_ms", "key", "headers", "value", "event_type", "event", "proof"},
    "proof": {"tree", "head", "entry"},
    "tree": {"size", "path"},
    "head": {"index", "path"},
    "entry": {"number", "time_ms", "trees", "path"},
}


def check_shape(bundle):
    def check(part, value):
        # A tree that is not the original one of its partition says which it is.
        names = set(value) - {"generation"} if part == "tree" else set(value)
        must(names == MEMBERS[part], f"the members of a {part} are not those of the format")

    check("bundle", bundle)
    must(type(bundle["made_at_ms"]) is int, "made_at_ms is not a time")
    for record in bundle["records"]:
        check("record", record)
        check("proof", record["proof"])
        for part in ("tree", "head", "entry"):
            check(part, record["proof"][part])


def check_calls(bundle, records):
    """Each call as its records add up, and all of them what the bundle says that it is about."""
    cases = {}
    for shown in bundle["calls"]:
        call_id = shown["call_id"]
        must(call_id not in cases, "a call is shown twice")
        folded, cases[call_id] = call_of(call_id, records[call_id])
        for name in set(folded) | set(shown):
            must(name in folded and name in shown and folded[name] == shown[name], f"the {name} of a call is not what its records say")
    subject = bundle["subject"]
    if set(subject) == {"call_id"}:
        must(list(cases) == [subject["call_id"]], "the calls shown are not the call that the bundle is about")
    else:
        must(set(subject) == {"case_id"}, "the subject names neither a call nor a case")
        must(set(cases.values()) == {subject["case_id"]}, "the calls shown are not of the case that the bundle is about")


def later_trees(bundle):
    """The trees of the records that are not the original ones of their partitions."""
    places = ((record["topic"], record["partition"], record["proof"]["tree"].get("generation")) for record in bundle["records"])
    return {f"{topic}/{partition}#{of['number']} (decision {of['decision']})" for topic, partition, of in places if of is not None}


def verify(bundle, vkey, trusted, witnesses=()):
    must(bundle["format"] == "countersign-bundle/v1", "the format is unknown")
    check_shape(bundle)
    must(bundle["vkey"] == vkey, "the bundle names another key")
    size, root = open_checkpoint(bundle["checkpoint"], vkey)
    checked = {check_witness(bundle["checkpoint"], witness) for witness in witnesses}
    seen, records = set(), {call["call_id"]: [] for call in bundle["calls"]}
    for record in bundle["records"]:
        place = (record["topic"], record["partition"], record["offset"])
        must(place not in seen, "a record is there twice")
        seen.add(place)
        value = from_base64(record["value"])
        check_place(record, value, size, root)
        meta = read_event(record, value, bundle["schemas"], trusted)["meta"]
        must(meta["tenant_id"] == bundle["tenant_id"], "a record is of another tenant")
        must(meta["call_id"] is None or meta["call_id"] in records, "a record is of another call")
        if meta["call_id"] is not None:
            records[meta["call_id"]].append(record)
    must(seen, "there are no records")
    check_calls(bundle, records)
    return len(seen), size, checked, later_trees(bundle)


UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, struct.error)


def main():
    arguments, witnesses = sys.argv[1:], []
    while arguments[:1] == ["--witness"]:
        witnesses.append(arguments[1])
        arguments = arguments[2:]
    try:
        with open(arguments[0], encoding="utf-8") as file:
            records, size, checked, trees = verify(json.load(file), arguments[1], set(arguments[2:]), witnesses)
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    except UNREADABLE as fault:
        print(f"refused: the bundle cannot be read ({type(fault).__name__})")
        return 1
    print(f"verified: {records} records under checkpoint {size}")
    for tree in sorted(trees):
        print(f"not proven: what stood at the offsets of {tree} before, which goes on in the place of a frozen tree")
    if "heads" not in checked:
        print("not proven: that records were not rewritten and signed again; no witness that checks heads has cosigned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
