"""Causes and cases of a bundle (docs/reference/proofs.md, "Causes" and "Cases"): what was not left out of it."""
import hashlib

from refused import from_base64, is_count, must, to_base64
from trees import leaf_hash, record_leaf


def leaf_of(record):
    return leaf_hash(record_leaf(record, from_base64(record["value"])))


def name_of(record):
    return f"{record['event_type']} {record['topic']}/{record['partition']}/{record['offset']}"


class Causes:
    """The records of a bundle by the hashes of their leaves and by their event ids."""

    def __init__(self, records):
        self.by_hash = {to_base64(leaf_of(record)): record for record in records}
        self.by_id = {}
        for record in records:
            meta = record["event"]["meta"]
            known = self.by_id.get(meta["event_id"])
            if known is None or meta["hlc"] < known["event"]["meta"]["hlc"]:
                self.by_id[meta["event_id"]] = record

    def of(self, record):
        """The cause of a record, None if it is not in the bundle and need not be."""
        meta = record["event"]["meta"]
        named = meta.get("cause_hash")
        if named is None:
            return self.by_id.get(meta["causation_id"])
        cause = self.by_hash.get(named)
        must(cause is not None, f"the record that caused {name_of(record)} is missing: event {meta['causation_id']}")
        must(cause["event"]["meta"]["event_id"] == meta["causation_id"], f"{name_of(record)} names the hash of another event than its cause")
        return cause

    def check(self, record):
        cause = self.of(record)
        if cause is None:
            return
        must(cause["event"]["meta"]["hlc"] < record["event"]["meta"]["hlc"], f"{name_of(record)} is not later than its cause")
        same = (cause["topic"], cause["partition"]) == (record["topic"], record["partition"])
        must(not same or cause["offset"] < record["offset"], f"{name_of(record)} is on the log before its cause")

    def ancestry(self, records):
        """These records and those from which they follow by their hashes, by place in memory."""
        found, waiting = {}, list(records)
        while waiting:
            record = waiting.pop()
            if id(record) in found:
                continue
            found[id(record)] = record
            if record["event"]["meta"].get("cause_hash") is not None:
                waiting.append(self.of(record))
        return found


def check_causes(bundle):
    """Each cause is there and earlier, and each record is of the subject or an ancestor. Answers the lines of the report."""
    causes, calls = Causes(bundle["records"]), {call["call_id"] for call in bundle["calls"]} | {None}
    for record in bundle["records"]:
        causes.check(record)
    own = [record for record in bundle["records"] if record["event"]["meta"]["call_id"] in calls]
    known = causes.ancestry(own)
    must(all(id(record) in known for record in bundle["records"]), "a record is of another call")
    caused = [record["event"]["meta"] for record in bundle["records"] if record["event"]["meta"]["call_id"] and record["event"]["meta"]["causation_id"]]
    unproven = sum(meta.get("cause_hash") is None for meta in caused)
    return [f"not proven: completeness; {unproven} records name no hash of their cause"] if unproven else []


def check_order(records):
    """Records of one call and topic stand in the order of the log."""
    last = {}
    for record in records:
        call_id = record["event"]["meta"]["call_id"]
        place = (record["topic"], record["partition"], call_id)
        must(call_id is None or last.get(place, -1) < record["offset"], "the records are not in the order of the log")
        last[place] = record["offset"]


def case_start(tenant_id, case_id):
    return leaf_hash(f"countersign/case/v1\n{tenant_id}\n{case_id}".encode())


def case_step(before, entry, cut, leaves):
    head = f"countersign/case-step/v1\n{entry}\n{cut}\n{len(leaves)}\n".encode()
    return leaf_hash(head + before + b"".join(leaves))


def leaf_in(item, records):
    """A record of the bundle by its index, or the hash of a leaf that is not in it."""
    if is_count(item):
        return leaf_of(records[item])
    leaf = from_base64(item)
    must(len(leaf) == hashlib.sha256().digest_size, "a record of a case is no hash")
    return leaf


def cuts_of(steps):
    """The cut that covered a record first, by its index in the bundle."""
    cuts = {}
    for step in steps:
        for item in step["records"]:
            if is_count(item):
                cuts.setdefault(item, step["cut"])
    return cuts


def check_cuts(records, cuts):
    """A cause is covered at most one cut after its effect."""
    causes, at = Causes(records), {id(records[index]): cut for index, cut in cuts.items()}
    for record in records:
        cause = causes.of(record)
        if cause is not None and id(cause) in at and id(record) in at:
            must(at[id(cause)] <= at[id(record)] + 1, f"{name_of(record)} was covered before its cause {name_of(cause)}")


def check_case(bundle, covered):
    """The hash of the case follows from the records. Answers the lines of the report."""
    must(covered["meta"]["tenant_id"] == bundle["tenant_id"], "the leaf is of a case of another tenant")
    requests = (record["event"]["call"] for record in bundle["records"] if record["event_type"] == "tool_call_requested")
    must(all(call["case_id"] == covered["case_id"] for call in requests), "the leaf is of another case than the calls")
    at, found, before, outside = case_start(bundle["tenant_id"], covered["case_id"]), 0, (-1, 0), 0
    steps = bundle["case"]["steps"]
    for step in steps:
        entry, cut = step["entry"], step["cut"]
        must(is_count(entry) and is_count(cut) and entry > before[0] and cut >= before[1], "the entries of the case are not in order")
        at, before = case_step(at, entry, cut, [leaf_in(item, bundle["records"]) for item in step["records"]]), (entry, cut)
        found += len(step["records"])
        outside += sum(not is_count(item) for item in step["records"])
    must((to_base64(at), found) == (covered["hash"], covered["records"]), "the records are not those that the leaf of the case covers")
    must(steps and before == (covered["entry"], covered["cut"]), "the last entry of the case is not that of its leaf")
    must(len(steps[-1]["records"]) == covered["added"], "the last entry of the case has another number of records")
    check_cuts(bundle["records"], cuts_of(steps))
    missing = f"; {outside} of {found} records of the case are not in the bundle" if outside else ""
    return [f"complete: the case {covered['case_id']} up to cut {before[1]}{missing}"]
