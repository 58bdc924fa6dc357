#!/usr/bin/env python3
"""An independent check that a log only grew: python3 verify_history.py VKEY EARLIER LATER HISTORY [SCHEMA_SHA256 ...]

EARLIER and LATER are bundles or checkpoints; HISTORY is what `countersign verify --save-history` keeps: the heads of the
earlier checkpoint and every entry up to the later one. Written from RFC 9162 section 2.1.4.2, C2SP tlog-checkpoint and the
leaf formats of docs/decisions/0006 and 0029. Exit code 0: every tree only grew, entry by entry, or went on as another generation by
a decision on the record, which is named; 1: refused, with the reason. SCHEMA_SHA256: the schemas by which decisions may be read.
"""
import base64
import hashlib
import json
import re
import sys

from verify_bundle import (
    Reader,
    Refused,
    UNREADABLE,
    check_generation,
    from_base64,
    hashes,
    head_leaf,
    leaf_hash,
    lines,
    must,
    node_hash,
    open_checkpoint,
    record_leaf,
    register,
    root_from_path,
)

EMPTY = hashlib.sha256(b"").digest()
TOPIC = re.compile(r"[A-Za-z0-9._-]{1,255}\Z")


def is_consistent(first, first_root, second, second_root, path):
    """RFC 9162 section 2.1.4.2, for 0 < first < second."""
    if not path or any(len(p) != 32 for p in path):
        return False
    nodes = [first_root, *path] if first & (first - 1) == 0 else list(path)
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = nodes[0]
    for c in nodes[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(c, fr), node_hash(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == first_root and sr == second_root


def root_over(leaves):
    """The root of RFC 9162 section 2.1.1 over leaf hashes."""
    if not leaves:
        return EMPTY
    if len(leaves) == 1:
        return leaves[0]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(root_over(leaves[:k]), root_over(leaves[k:]))


class Entries:
    """The tree over the entries: the roots of its complete subtrees, largest first."""

    def __init__(self, size, peaks):
        must(len(peaks) == bin(size).count("1"), "a path is not that of a last entry")
        self.size, self.peaks = size, peaks

    def append(self, leaf):
        size = self.size
        while size & 1:
            leaf, size = node_hash(self.peaks.pop(), leaf), size >> 1
        self.peaks.append(leaf)
        self.size += 1

    def root(self):
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root


def entry_leaf(number, time_ms, heads):
    def leaf_of(tree):
        (topic, partition, _), (size, root, generation) = tree, heads[tree]
        return head_leaf(topic, partition, size, root, generation)

    must(type(time_ms) is int, "an entry has no time")
    ordered = sorted(heads, key=lambda tree: (tree[0].encode(), tree[1], tree[2]))
    root = base64.b64encode(root_over([leaf_of(tree) for tree in ordered])).decode()
    return leaf_hash(lines("countersign/checkpoint/v1", number, time_ms, len(heads), root))


def read_head(topic, partition, size, root, generation=None):
    must(TOPIC.match(topic) and type(partition) is int and type(size) is int and partition >= 0 and size >= 0, "a head is of no tree")
    root = from_base64(root)
    must(len(root) == 32, "a root has not 32 bytes")
    number = 1 if generation is None else check_generation(generation)[0]
    return (topic, partition, number), (size, root, generation)


def newest(heads, topic, partition):
    """The tree of a partition that grows."""
    numbers = [number for own_topic, own_partition, number in heads if (own_topic, own_partition) == (topic, partition)]
    return (topic, partition, max(numbers)) if numbers else None


def base_of(head):
    return 0 if head[2] is None else head[2]["base_offset"]


def move(heads, topic, partition, size, root, path, generation=None):
    """Moves a tree. Answers it where it is the next generation of a tree that was there."""
    tree, head = read_head(topic, partition, size, root, generation)
    size, root, _ = head
    grows = newest(heads, topic, partition)
    before, before_root, known = heads.get(tree, (0, EMPTY, generation))
    name = f"{topic}/{partition}#{tree[2]}"
    must(known == generation, f"{name} says another base or decision than before")
    must(tree not in heads or tree == grows, f"{name} is frozen and moves")
    opened = tree if tree not in heads and (grows or generation) else None
    must(opened is None or (grows and tree[2] == grows[2] + 1), f"{name} does not follow the newest tree of its partition")
    if size == 0:
        must(tree not in heads and root == EMPTY and not path, f"{name} has no records and a root")
    else:
        must(size > before, f"{name} does not grow")
        grew = not path if before == 0 else is_consistent(before, before_root, size, root, hashes(path))
        must(grew, f"{name} with {size} records does not continue what it was with {before}")
    heads[tree] = head
    return opened


SETTINGS = ("configuration-changed", 0)


def decision_of(shown, before, now, trusted):
    """What a damage_accepted says, once it is a record of the settings that this entry covers and none before."""
    value, offset = from_base64(shown["value"]), shown["offset"]
    text = shown["schema"]
    must(not trusted or hashlib.sha256(text.encode()).hexdigest() in trusted, "a schema is not one of those that are trusted")
    schema = json.loads(text)
    must(schema["name"] == "damage_accepted", "a decision is no damage_accepted")
    end = base_of(before) + before[0] if before and before[2] == now[2] else base_of(now)
    must(offset >= end, "a decision was covered by an earlier entry")
    record = {**shown, "topic": SETTINGS[0], "partition": SETTINGS[1]}
    root = root_from_path(leaf_hash(record_leaf(record, value)), offset - base_of(now), now[0], hashes(shown["path"]))
    must(root == now[1], "a decision does not stand on the record")
    reader = Reader(value[5:])
    register(schema, reader)
    event = reader.read(schema)
    must(reader.at == len(reader.data), "a decision has more bytes than its event")
    return event


def check_opened(tree, heads, before, decisions, moved):
    """A new generation is the one that a decision on the record allows to be opened, in the place of a tree as it was."""
    topic, partition, number = tree
    name, generation = f"{topic}/{partition}#{number}", heads[tree][2]
    frozen_tree = (topic, partition, number - 1)
    frozen = before[frozen_tree]
    must(frozen_tree not in moved, f"{name}: the tree before it moves and is frozen at the same time")
    event = decisions.get(generation["decision"])
    must(event is not None, f"{name} is opened without a decision on the record")
    terms = {"topic": topic, "partition": partition, "generation": number, "base_offset": generation["base_offset"]}
    terms |= {"frozen_size": frozen[0], "frozen_root": base64.b64encode(frozen[1]).decode()}
    must(terms in event["opened"], f"{name} is not what its decision allows to be opened")
    must(generation["base_offset"] <= base_of(frozen) + frozen[0], f"{name} leaves records in no tree")
    end = base_of(frozen) + frozen[0]
    return f"NOT CONTINUED: {topic}/{partition}#{number - 1} is frozen; {name} goes on from offset {generation['base_offset']}, {end} were signed: decision {generation['decision']}"


def follow(entry, heads, trusted):
    """Moves the trees of an entry. Answers what it opened."""
    before = dict(heads)
    moved = {read_head(topic, partition, size, root, *of)[0] for topic, partition, size, root, _, *of in entry["moved"]}
    must(len(moved) == len(entry["moved"]), "an entry moves a tree twice")
    opened = [tree for tree in [move(heads, *each) for each in entry["moved"]] if tree]
    if not opened:
        return []
    known, now = newest(before, *SETTINGS), newest(heads, *SETTINGS)
    shown = [decision_of(each, before.get(known), heads[now], trusted) for each in entry.get("decisions", [])]
    decisions = {event["meta"]["event_id"]: event for event in shown}
    return [check_opened(tree, heads, before, decisions, moved) for tree in opened]


def checkpoint_of(text):
    return json.loads(text)["checkpoint"] if text.lstrip().startswith("{") else text


def verify(vkey, earlier, later, history, trusted=frozenset()):
    must(history["format"] == "countersign-history/v1", "the format is unknown")
    first, first_root = open_checkpoint(checkpoint_of(earlier), vkey)
    second, second_root = open_checkpoint(checkpoint_of(later), vkey)
    covered = history["heads"]
    heads = dict(read_head(*head) for head in covered["heads"])
    must(len(heads) == len(covered["heads"]), "a tree is there twice")
    number = covered["entry"]["number"]
    entries = Entries(number, list(reversed(hashes(covered["entry"]["path"]))))
    entries.append(entry_leaf(number, covered["entry"]["time_ms"], heads))
    must((entries.size, entries.root()) == (first, first_root), "the heads are not those of the earlier checkpoint")
    opened = []
    for page in history["pages"]:
        must(page["first"] == entries.size, "a page is missing")
        for entry in page["entries"]:
            must(entry["number"] == entries.size, "an entry is missing")
            opened += follow(entry, heads, trusted)
            entries.append(entry_leaf(entry["number"], entry["time_ms"], heads))
    must((entries.size, entries.root()) == (second, second_root), "the entries do not lead to the later checkpoint")
    return first, second, opened


def main():
    try:
        texts = [open(name, encoding="utf-8").read() for name in sys.argv[2:5]]
        first, second, opened = verify(sys.argv[1], texts[0], texts[1], json.loads(texts[2]), set(sys.argv[5:]))
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    except UNREADABLE as fault:
        print(f"refused: the history cannot be read ({type(fault).__name__})")
        return 1
    print(f"verified: from checkpoint {first} to {second} every tree only grew{', but for:' if opened else ''}")
    for line in opened:
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
