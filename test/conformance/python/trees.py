"""Merkle trees of RFC 9162 section 2.1, and the leaves of docs/reference/proofs.md."""
import hashlib
import re
import struct

from refused import from_base64, is_count, must, to_base64

EMPTY = hashlib.sha256(b"").digest()
UUID = re.compile(r"[0-9a-f-]{36}\Z")


def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def hashes(path):
    must(isinstance(path, list), "a path is no list")
    found = [from_base64(text) for text in path]
    must(all(len(each) == 32 for each in found), "a hash has not 32 bytes")
    return found


def root_over(leaves):
    """The root over leaf hashes."""
    if not leaves:
        return EMPTY
    if len(leaves) == 1:
        return leaves[0]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(root_over(leaves[:k]), root_over(leaves[k:]))


def root_from_path(leaf, index, size, path):
    """Section 2.1.3.2."""
    must(is_count(index) and is_count(size) and index < size, "an index lies outside its tree")
    fn, sn, r = index, size - 1, leaf
    for p in path:
        must(sn != 0, "a path is too long")
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    must(sn == 0, "a path is too short")
    return r


def is_consistent(first, first_root, second, second_root, path):
    """Section 2.1.4.2, for 0 < first < second."""
    if not path:
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


# --- leaves ---
def text(data):
    return struct.pack(">I", len(data)) + data


def record_leaf(record, value):
    parts = [b"countersign/record/v1\n", text(record["topic"].encode())]
    parts.append(struct.pack(">IQQ", record["partition"], record["offset"], record["timestamp_ms"]))
    key = record["key"]
    parts.append(struct.pack(">I", 0) if key is None else struct.pack(">I", 1) + text(key.encode()))
    headers = sorted((name.encode(), value.encode()) for name, value in record["headers"].items())
    parts.append(struct.pack(">I", len(headers)))
    for name, header in headers:
        parts += [text(name), text(header)]
    return b"".join([*parts, text(value)])


def lines(*texts):
    return "".join(f"{each}\n" for each in texts).encode()


def generation_of(generation):
    """Number, base offset and decision of a tree that is not the original one of its partition."""
    must(isinstance(generation, dict) and set(generation) == {"number", "base_offset", "decision"}, "no generation of a tree")
    number, base, decision = generation["number"], generation["base_offset"], generation["decision"]
    must(is_count(number) and number >= 2 and is_count(base), "no generation of a tree")
    must(isinstance(decision, str) and UUID.match(decision), "a generation has no decision")
    return number, base, decision


def base_of(generation):
    return 0 if generation is None else generation_of(generation)[1]


def head_leaf(topic, partition, size, root, generation=None):
    grown = (size, to_base64(root))
    if generation is None:
        return lines("countersign/tree/v1", topic, partition, *grown)
    return lines("countersign/tree/v2", topic, partition, *generation_of(generation), *grown)


def cut_of(cut):
    """Number and state of a cut; None in entries of earlier releases."""
    if cut is None:
        return None
    must(isinstance(cut, dict) and set(cut) == {"number", "state"}, "no cut")
    must(is_count(cut["number"]) and cut["number"] >= 1 and cut["state"] in ("closed", "open"), "no cut")
    return cut["number"], cut["state"]


def check_cut(before, cut):
    """A cut follows the one before; once entries have cuts, all have."""
    wanted = 1 if before is None else before[0] + (before[1] == "closed")
    must(cut is not None or before is None, "an entry has no cut, and the entry before has one")
    must(cut is None or cut[0] == wanted, f"an entry has another cut than {wanted}")


def entry_leaf(number, time_ms, trees, heads_root, cut=None):
    must(is_count(number) and is_count(time_ms) and is_count(trees), "an entry has no number or time")
    if cut is None:
        return lines("countersign/checkpoint/v1", number, time_ms, trees, to_base64(heads_root))
    return lines("countersign/checkpoint/v2", number, time_ms, trees, *cut, to_base64(heads_root))


def check_place(record, value, proof, size, root):
    """Steps 2 to 5 of the proof of a record, under a checkpoint whose signatures were checked."""
    tree, head, entry = proof["tree"], proof["head"], proof["entry"]
    must(entry["number"] == size - 1, "an entry is not the last one of its checkpoint")
    generation = tree.get("generation")
    own = root_from_path(leaf_hash(record_leaf(record, value)), record["offset"] - base_of(generation), tree["size"], hashes(tree["path"]))
    leaf = leaf_hash(head_leaf(record["topic"], record["partition"], tree["size"], own, generation))
    heads = root_from_path(leaf, head["index"], entry["trees"], hashes(head["path"]))
    leaf = leaf_hash(entry_leaf(entry["number"], entry["time_ms"], entry["trees"], heads, cut_of(entry.get("cut"))))
    must(root_from_path(leaf, entry["number"], size, hashes(entry["path"])) == root, "a record is not under the checkpoint")
