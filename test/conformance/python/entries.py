"""Entries in order (docs/reference/proofs.md): every tree of every entry only grows, or a recorded decision opens its next generation."""
import re

from avro import read_value
from refused import from_base64, is_count, must, to_base64
from trees import EMPTY, base_of, check_cut, cut_of, entry_leaf, generation_of, hashes, head_leaf, is_consistent, leaf_hash, node_hash, record_leaf, root_from_path, root_over

TOPIC = re.compile(r"[A-Za-z0-9._-]{1,255}\Z")
SETTINGS = ("configuration-changed", 0)
# Of damage_accepted: bytes that are read by another schema may say anything.
DECISION_SCHEMAS = frozenset({"9f25b0f5956a8145300184c0cc5d1cb20a1ee07f9080630c14d11d40907eadc8"})


def read_head(topic, partition, size, root, generation=None):
    """(topic, partition, number) → (size, root, generation)."""
    must(isinstance(topic, str) and TOPIC.match(topic) and is_count(partition) and is_count(size), "a head is of no tree")
    root = from_base64(root)
    must(len(root) == 32, "a root has not 32 bytes")
    number = 1 if generation is None else generation_of(generation)[0]
    return (topic, partition, number), (size, root, generation)


def name_of(tree):
    topic, partition, number = tree
    return f"{topic}/{partition}" if number == 1 else f"{topic}/{partition}#{number}"


def newest(heads, topic, partition):
    """The tree of a partition that grows."""
    numbers = [number for own_topic, own_partition, number in heads if (own_topic, own_partition) == (topic, partition)]
    return (topic, partition, max(numbers)) if numbers else None


def sorted_trees(heads):
    return sorted(heads, key=lambda tree: (tree[0].encode(), tree[1], tree[2]))


def heads_root(heads):
    leaves = [head_leaf(tree[0], tree[1], *heads[tree]) for tree in sorted_trees(heads)]
    return root_over([leaf_hash(leaf) for leaf in leaves])


class Entries:
    """A log as far as it was followed: all heads, and the tree of entries as the roots of its complete subtrees, largest first."""

    def __init__(self, trusted=frozenset()):
        self.size, self.peaks, self.heads, self.trusted = 0, [], {}, trusted
        self.cut = None

    @staticmethod
    def from_heads(covered, trusted=frozenset()):
        """From an answer of /heads. Compare size and root with its checkpoint."""
        entries, last = Entries(trusted), covered["entry"]
        entries.size, entries.peaks = last["number"], list(reversed(hashes(last["path"])))
        must(is_count(entries.size) and len(entries.peaks) == bin(entries.size).count("1"), "a path is not that of a last entry")
        entries.heads = dict(read_head(*head) for head in covered["heads"])
        must(len(entries.heads) == len(covered["heads"]), "a tree is there twice")
        entries.close(last["time_ms"], cut_of(last.get("cut")))
        return entries

    def close(self, time_ms, cut):
        leaf = leaf_hash(entry_leaf(self.size, time_ms, len(self.heads), heads_root(self.heads), cut))
        self.cut = cut
        size = self.size
        while size & 1:
            leaf, size = node_hash(self.peaks.pop(), leaf), size >> 1
        self.peaks.append(leaf)
        self.size += 1

    def root(self):
        if not self.peaks:
            return EMPTY
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root

    def follow_page(self, page, until=2**53):
        """Follows a page of entries, at most up to this size. Answers what it opened."""
        must(page["first"] == self.size and page["entries"], "a page is missing")
        opened = []
        for entry in page["entries"]:
            must(self.size < until, "the entries go on behind the checkpoint")
            must(entry["number"] == self.size, "an entry is missing")
            opened += self.follow(entry)
        return opened

    def follow(self, entry):
        before, cut = dict(self.heads), cut_of(entry.get("cut"))
        check_cut(self.cut, cut)
        moved = {read_head(topic, partition, size, root, *of)[0] for topic, partition, size, root, _, *of in entry["moved"]}
        must(len(moved) == len(entry["moved"]), "an entry moves a tree twice")
        opened = [tree for tree in [self.move(*each) for each in entry["moved"]] if tree]
        lines = []
        if opened:
            shown = [self.decision(each, before) for each in entry.get("decisions", [])]
            decisions = {event["meta"]["event_id"]: event for event in shown}
            lines = [check_opened(tree, self.heads, before, decisions, moved) for tree in opened]
        self.close(entry["time_ms"], cut)
        return lines

    def move(self, topic, partition, size, root, path, generation=None):
        """Moves a tree. Answers it where it is the next generation of a tree that was there."""
        tree, head = read_head(topic, partition, size, root, generation)
        size, root, _ = head
        grows, name = newest(self.heads, topic, partition), name_of(tree)
        before, before_root, known = self.heads.get(tree, (0, EMPTY, generation))
        must(known == generation, f"{name} says another base or decision than before")
        must(tree not in self.heads or tree == grows, f"{name} is frozen and moves")
        opened = tree if tree not in self.heads and (grows or generation) else None
        must(opened is None or (grows and tree[2] == grows[2] + 1), f"{name} does not follow the newest tree of its partition")
        if size == 0:
            must(tree not in self.heads and root == EMPTY and not path, f"{name} has no records and a root")
        else:
            must(size > before, f"{name} does not grow")
            grew = not path if before == 0 else is_consistent(before, before_root, size, root, hashes(path))
            must(grew, f"{name} with {size} records does not continue what it was with {before}")
        self.heads[tree] = head
        return opened

    def decision(self, shown, before):
        """What a damage_accepted says, once it is a record of the settings that this entry covers and none before."""
        value, offset = from_base64(shown["value"]), shown["offset"]
        known, now = before.get(newest(before, *SETTINGS)), self.heads[newest(self.heads, *SETTINGS)]
        end = base_of(known[2]) + known[0] if known and known[2] == now[2] else base_of(now[2])
        must(is_count(offset) and offset >= end, "a decision was covered by an earlier entry")
        leaf = leaf_hash(record_leaf({**shown, "topic": SETTINGS[0], "partition": SETTINGS[1]}, value))
        root = root_from_path(leaf, offset - base_of(now[2]), now[0], hashes(shown["path"]))
        must(root == now[1], "a decision does not stand on the record")
        name, event = read_value(value, shown["schema"], self.trusted or DECISION_SCHEMAS)
        must(name == "damage_accepted", "a decision is no damage_accepted")
        return event


def check_opened(tree, heads, before, decisions, moved):
    """A new generation is the one that a decision on the record allows to be opened, in the place of a tree as it was."""
    topic, partition, number = tree
    name, generation = name_of(tree), heads[tree][2]
    frozen_tree = (topic, partition, number - 1)
    frozen_size, frozen_root, frozen_generation = before[frozen_tree]
    must(frozen_tree not in moved, f"{name}: the tree before it moves and is frozen at the same time")
    event = decisions.get(generation["decision"])
    must(event is not None, f"{name} is opened without a decision on the record")
    terms = {"topic": topic, "partition": partition, "generation": number, "base_offset": generation["base_offset"]}
    terms |= {"frozen_size": frozen_size, "frozen_root": to_base64(frozen_root)}
    must(terms in event["opened"], f"{name} is not what its decision allows to be opened")
    end = base_of(frozen_generation) + frozen_size
    must(generation["base_offset"] <= end, f"{name} leaves records in no tree")
    return f"NOT CONTINUED: {topic}/{partition}#{number - 1} is frozen; {name} goes on from offset {generation['base_offset']}, {end} were signed: decision {generation['decision']}"
