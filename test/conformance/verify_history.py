#!/usr/bin/env python3
"""An independent check that a log only grew: python3 verify_history.py VKEY EARLIER LATER HISTORY

EARLIER and LATER are bundles or checkpoints; HISTORY is what `countersign verify --save-history` keeps: the heads of the
earlier checkpoint and every entry up to the later one. Written from RFC 9162 section 2.1.4.2, C2SP tlog-checkpoint and the
leaf formats of docs/decisions/0006. Exit code 0: every tree only grew, entry by entry; 1: refused, with the reason.
"""
import base64
import hashlib
import json
import re
import sys

from verify_bundle import Refused, UNREADABLE, from_base64, hashes, leaf_hash, lines, must, node_hash, open_checkpoint

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
    def head_leaf(tree):
        (topic, partition), (size, root) = tree, heads[tree]
        return leaf_hash(lines("countersign/tree/v1", topic, partition, size, base64.b64encode(root).decode()))

    must(type(time_ms) is int, "an entry has no time")
    ordered = sorted(heads, key=lambda tree: (tree[0].encode(), tree[1]))
    root = base64.b64encode(root_over([head_leaf(tree) for tree in ordered])).decode()
    return leaf_hash(lines("countersign/checkpoint/v1", number, time_ms, len(heads), root))


def read_head(topic, partition, size, root):
    must(TOPIC.match(topic) and type(partition) is int and type(size) is int and partition >= 0 and size >= 0, "a head is of no tree")
    root = from_base64(root)
    must(len(root) == 32, "a root has not 32 bytes")
    return (topic, partition), (size, root)


def move(heads, topic, partition, size, root, path):
    tree, (size, root) = read_head(topic, partition, size, root)
    before, before_root = heads.get(tree, (0, EMPTY))
    name = f"{topic}/{partition}"
    if size == 0:
        must(tree not in heads and root == EMPTY and not path, f"{name} has no records and a root")
    else:
        must(size > before, f"{name} does not grow")
        grew = not path if before == 0 else is_consistent(before, before_root, size, root, hashes(path))
        must(grew, f"{name} with {size} records does not continue what it was with {before}")
    heads[tree] = (size, root)


def checkpoint_of(text):
    return json.loads(text)["checkpoint"] if text.lstrip().startswith("{") else text


def verify(vkey, earlier, later, history):
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
    for page in history["pages"]:
        for entry in page["entries"]:
            must(entry["number"] == entries.size, "an entry is missing")
            trees = [(topic, partition) for topic, partition, *_ in entry["moved"]]
            must(len(set(trees)) == len(trees), "an entry moves a tree twice")
            for moved in entry["moved"]:
                move(heads, *moved)
            entries.append(entry_leaf(entry["number"], entry["time_ms"], heads))
    must((entries.size, entries.root()) == (second, second_root), "the entries do not lead to the later checkpoint")
    return first, second


def main():
    try:
        texts = [open(name, encoding="utf-8").read() for name in sys.argv[2:5]]
        first, second = verify(sys.argv[1], texts[0], texts[1], json.loads(texts[2]))
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    except UNREADABLE as fault:
        print(f"refused: the history cannot be read ({type(fault).__name__})")
        return 1
    print(f"verified: from checkpoint {first} to {second} every tree only grew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
