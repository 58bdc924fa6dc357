#!/usr/bin/env python3
"""A verifier of bundles: python3 verify_bundle.py [--witness [heads:]VKEY ...] [--tsa PEM] BUNDLE VKEY [SCHEMA_SHA256 ...]

Written from docs/reference/proofs.md and the specifications that it names (RFC 8032, RFC 9162, C2SP, Avro), with the standard library, and
for the signature of a timestamp openssl. --tsa: the certificate of a time-stamping authority; a bundle without its timestamp is refused.
Exit code 0: verified; 1: refused, with the reason.
"""
import datetime
import hashlib
import json
import sys

from avro import plain, read_value, schema_id
from calls import call_of
from causes import check_case, check_causes, check_order
from course import check_course
from notes import check_witness, open_checkpoint
from refused import from_base64, is_count, must, run
from shown import is_same, is_shown
from timestamps import check_token, timestamped_bytes
from trees import check_place

MEMBERS = {
    "bundle": {"format", "tenant_id", "subject", "made_at_ms", "calls", "records", "schemas", "checkpoint", "vkey"},
    "record": {"topic", "partition", "offset", "timestamp_ms", "key", "headers", "value", "event_type", "event", "proof"},
    "proof": {"tree", "head", "entry"},
    "tree": {"size", "path"},
    "head": {"index", "path"},
    "entry": {"number", "time_ms", "trees", "path"},
    "case": {"leaf", "steps"},
    "step": {"entry", "cut", "records"},
    "timestamp": {"token"},
}
# Members that only some have.
OPTIONAL = {"tree": {"generation"}, "entry": {"cut"}, "bundle": {"timestamp", "case"}}


def check_members(part, value):
    must(isinstance(value, dict), f"a {part} is no object")
    names = set(value) - OPTIONAL.get(part, set())
    must(names == MEMBERS[part], f"the members of a {part} are not those of the format")


def check_shape(bundle):
    check_members("bundle", bundle)
    must(is_count(bundle["made_at_ms"]), "made_at_ms is not a time")
    for record in bundle["records"]:
        check_record_members(record)
    if "timestamp" in bundle:
        check_members("timestamp", bundle["timestamp"])
    if "case" in bundle:
        check_members("case", bundle["case"])
        check_record_members(bundle["case"]["leaf"])
        for step in bundle["case"]["steps"]:
            check_members("step", step)


def check_record_members(record):
    check_members("record", record)
    must(all(is_count(record[name]) for name in ("partition", "offset", "timestamp_ms")), "a place or time of a record is no number")
    check_members("proof", record["proof"])
    for part in ("tree", "head", "entry"):
        check_members(part, record["proof"][part])


def read_event(record, value, schemas, trusted):
    must(len(value) > 5, "a value is not in the Confluent wire format")
    name, event = read_value(value, schemas[schema_id(value)], trusted)
    must(is_shown(plain(event), record["event"]) and name == record["event_type"], "an event is shown as something else")
    return record["event"]


def check_schemas(schemas, trusted):
    for number, text in schemas.items():
        must(str(int(number)) == number, "the id of a schema is no number")
        must(not trusted or hashlib.sha256(text.encode()).hexdigest() in trusted, "a schema is not one of those that are trusted")


def check_calls(bundle, records):
    """Each call as its records add up, and all of them what the bundle says that it is about."""
    cases = {}
    for shown in bundle["calls"]:
        call_id = shown["call_id"]
        must(call_id not in cases, "a call is shown twice")
        folded, cases[call_id] = call_of(call_id, records[call_id])
        for name in set(folded) | set(shown):
            must(name in folded and name in shown and is_same(folded[name], shown[name]), f"the {name} of a call is not what its records say")
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


def read_records(bundle, size, root, trusted):
    """The records of each call, each proven and decoded."""
    seen, records = set(), {call["call_id"]: [] for call in bundle["calls"]}
    for record in bundle["records"]:
        place = (record["topic"], record["partition"], record["offset"])
        must(place not in seen, "a record is there twice")
        seen.add(place)
        value = from_base64(record["value"])
        check_place(record, value, record["proof"], size, root)
        meta = read_event(record, value, bundle["schemas"], trusted)["meta"]
        must(meta["tenant_id"] == bundle["tenant_id"], "a record is of another tenant")
        records.setdefault(meta["call_id"], []).append(record)
    must(seen, "there are no records")
    return records


def case_leaf(bundle, size, root, trusted):
    """The event of the leaf of the case, proven under the checkpoint."""
    leaf = bundle["case"]["leaf"]
    value = from_base64(leaf["value"])
    check_place(leaf, value, leaf["proof"], size, root)
    event = read_event(leaf, value, bundle["schemas"], trusted)
    must((leaf["topic"], leaf["event_type"]) == ("cases", "case_covered"), "the leaf is not that of a case")
    return event


def timestamp_of(bundle, certificate):
    """The line of the report."""
    if certificate is None:
        return ["not proven: the timestamp in the bundle was not checked; --tsa checks it"] if "timestamp" in bundle else []
    must("timestamp" in bundle, "the bundle has no timestamp")
    at = check_token(from_base64(bundle["timestamp"]["token"]), timestamped_bytes(bundle["checkpoint"], bundle["vkey"]), certificate)
    return [f"timestamped at {datetime.datetime.fromtimestamp(at, datetime.timezone.utc).isoformat()}: all of it existed by then"]


def verify(bundle, vkey, trusted, witnesses=(), certificate=None):
    """The lines of the report."""
    must(bundle["format"] == "countersign-bundle/v1", "the format is unknown")
    check_shape(bundle)
    must(bundle["vkey"] == vkey, "the bundle names another key")
    size, root = open_checkpoint(bundle["checkpoint"], vkey)
    checked = {check_witness(bundle["checkpoint"], witness)[0] for witness in witnesses}
    check_schemas(bundle["schemas"], trusted)
    records = read_records(bundle, size, root, trusted)
    caused = check_causes(bundle)
    check_order(bundle["records"])
    check_calls(bundle, records)
    for call in bundle["calls"]:
        check_course(records[call["call_id"]])
    report = [f"verified: {len(bundle['records'])} records under checkpoint {size}", *caused]
    if "case" in bundle:
        report += check_case(bundle, case_leaf(bundle, size, root, trusted))
    report += [f"not proven: what stood at the offsets of {tree} before, which goes on in the place of a frozen tree" for tree in sorted(later_trees(bundle))]
    report += timestamp_of(bundle, certificate)
    if "heads" not in checked:
        report.append("not proven: that records were not rewritten and signed again; no witness that checks heads has cosigned")
    return [*report, "not proven: that the bundle is complete; compare it with an export of the period or a later bundle"]


def main():
    arguments, witnesses, certificate = sys.argv[1:], [], None
    while arguments[:1] in (["--witness"], ["--tsa"]):
        if arguments[0] == "--witness":
            witnesses.append(arguments[1])
        else:
            certificate = arguments[1]
        arguments = arguments[2:]
    with open(arguments[0], encoding="utf-8") as file:
        text = file.read()
    return run(lambda: verify(json.loads(text), arguments[1], set(arguments[2:]), witnesses, certificate))


if __name__ == "__main__":
    sys.exit(main())
