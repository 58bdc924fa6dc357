"""The causes of events (docs/reference/proofs.md, "Causes")."""
import base64

from refused import must
from trees import leaf_hash, record_leaf


def leaf_text(record, value):
    """The hash by which events name the record that caused them."""
    return base64.b64encode(leaf_hash(record_leaf(record, value))).decode()


def check_causes(events, own):
    """Each event that names the hash of its cause has that record in the bundle, and comes later. Returns how many name none."""
    unnamed = 0
    for meta in events.values():
        named, cause_id = meta.get("cause_hash"), meta["causation_id"]
        if named is None:
            unnamed += meta["call_id"] is not None and cause_id is not None
            continue
        must(named in events, f"the record that caused event {meta['event_id']} is missing: event {cause_id}")
        must(events[named]["event_id"] == cause_id, "an event names the hash of another event than its cause")
        must(events[named]["hlc"] < meta["hlc"], "a cause is not earlier than its effect")
    check_strangers(events, own)
    return unnamed


def check_strangers(events, own):
    """Records of other calls are there only as ancestors of the calls of the bundle."""
    followed, left = set(), [leaf for leaf, meta in events.items() if meta["call_id"] in own]
    while left:
        leaf = left.pop()
        if leaf is not None and leaf not in followed:
            followed.add(leaf)
            left.append(events[leaf].get("cause_hash"))
    strangers = [leaf for leaf, meta in events.items() if meta["call_id"] is not None and leaf not in followed]
    must(not strangers, "a record is of another call")
