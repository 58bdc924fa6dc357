"""The course of a call (docs/reference/proofs.md): what must be among its records because one of them is."""
import re

from causes import name_of
from refused import must

CALL_TOPIC = re.compile(r"(tool-call-requested|policy-decided|approval-voted|approval-granted|tool-executed)(\.|\Z)")
READ_ONLY = ("pure", "read_internal", "read_external")


class Course:
    """The records of one call, by what others name of them."""

    def __init__(self, records):
        self.records = records
        self.places = {(record["topic"], record["partition"], record["offset"]) for record in records}
        rulings = self.events("policy_decided")
        joined = [event for event in rulings if event.get("joined_call_id") is not None]
        asked = self.events("approval_requested")
        self.has_joined = bool(joined)
        self.ruled = {event["revision"] for event in rulings}
        self.may_run = {event["revision"] for event in rulings if event["effect"] == "allow"}
        self.may_run |= {event["revision"] for event in self.events("approval_granted")}
        self.asked = {event["approval_id"] for event in [*asked, *joined]}
        self.cast = {event["vote_id"] for event in self.events("approval_voted")}
        self.counted = {event["vote_id"] for event in self.events("approval_vote_counted")}
        self.levels = {(event["approval_id"], event.get("rule"), event["level"]) for event in self.events("approval_escalated")}
        self.asked_levels = {(event["approval_id"], event.get("level", 0)) for event in asked}
        requests = self.events("tool_call_requested")
        self.is_read_only = not requests or requests[-1]["call"]["effect_class"] in READ_ONLY

    def events(self, kind):
        return [record["event"] for record in self.records if record["event_type"] == kind]

    def has_before(self, kind, record):
        return any(other["event_type"] == kind and other["offset"] < record["offset"] for other in self.records)

    def has_level(self, approval_id, rule, level):
        by_request = rule is None and any(asked == approval_id and most >= level for asked, most in self.asked_levels)
        return by_request or (approval_id, rule, level) in self.levels

    def needs(self, record):
        """Whether each need of a record is met, with its name."""
        kind, event = record["event_type"], record["event"]
        joined = event.get("joined_call_id") is not None
        asks = kind == "policy_decided" and event["effect"] == "require_approval" and event.get("approval_id") is not None and not joined
        asks |= kind in ("approval_vote_counted", "approval_denied", "approval_expired", "approval_escalated") or kind == "approval_granted" and not joined
        if asks:
            yield event["approval_id"] in self.asked, "the request for its approval"
        if kind in ("approval_vote_counted", "approval_vote_refused"):
            yield event["vote_id"] in self.cast, f"vote {event['vote_id']}"
        if kind == "approval_granted" and not joined:
            votes = [vote["vote_id"] for vote in event["votes"]]
            yield set(votes) <= self.cast, "a vote of the grant"
            yield set(votes[:-1]) <= self.counted, "the count of a vote of the grant"
        if kind == "approval_escalated" and event["level"] > 1:
            yield self.has_level(event["approval_id"], event.get("rule"), event["level"] - 1), f"the escalation of level {event['level'] - 1}"
        if kind == "tool_call_started" and event["revision"] > 0:
            yield event["revision"] in self.may_run, f"the ruling or grant that lets revision {event['revision']} run"
        happened = kind == "tool_executed" and event["outcome"]["effect"] == "happened"
        if (happened or kind == "tool_call_in_doubt") and not self.is_read_only:
            yield self.has_before("tool_call_started", record), "the start before it"
        if kind == "tool_call_resolved":
            yield self.has_before("tool_call_in_doubt", record), "the doubt before it"
        source = event.get("source")
        if source and source["offset"] >= 0 and not self.has_joined and CALL_TOPIC.match(source["topic"]):
            yield (source["topic"], event["meta"]["partition"], source["offset"]) in self.places, f"the record {source['topic']}/{source['offset']} that it answers"


def check_course(records):
    """No record of a call lacks one from which it follows."""
    course = Course(records)
    for record in records:
        revision = record["event"].get("revision")
        for ruling in range(1, (revision if isinstance(revision, int) else 0) + 1):
            must(ruling in course.ruled, f"ruling {ruling} is missing: {name_of(record)} follows from it")
        for is_there, missing in course.needs(record):
            must(is_there, f"{missing} is missing: {name_of(record)} follows from it")
