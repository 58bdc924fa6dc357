"""What the records of a call add up to: the table of docs/reference/proofs.md, "Bundles"."""
from refused import must

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
