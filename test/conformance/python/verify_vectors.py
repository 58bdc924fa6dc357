#!/usr/bin/env python3
"""Computes every vector of docs/reference/proofs.md again: python3 verify_vectors.py PAGE

Exit code 0: the page is right; 1: it is not, with the first difference.
"""
import hashlib
import json
import re
import sys

import ed25519
from avro import read_value, schema_id
from causes import case_start, case_step
from entries import Entries, heads_root, read_head
from notes import check_witness, cosigned_message, key_hash, open_checkpoint
from refused import from_base64, must, run, to_base64
from trees import check_place, cut_of, entry_leaf, head_leaf, is_consistent, leaf_hash, node_hash, record_leaf, root_over
from verify_bundle import verify as verify_bundle

BLOCK = re.compile(r"<!-- vector (\w+) -->\n\n```json\n(.+?)```", re.S)


def check_keys(keys):
    for key in keys.values():
        typed = bytes([key["type"]]) + ed25519.public_key(bytes.fromhex(key["seed"]))
        written = f"{key['name']}+{key_hash(key['name'], typed).hex()}+{to_base64(typed)}"
        must(written == key["vkey"], f"the key of {key['name']} is {written}")


def check_records(records):
    """Leaf hashes by tree."""
    trees = {}
    for record in records:
        leaf = record_leaf(record, from_base64(record["value"]))
        must(leaf.hex() == record["leaf"], f"the leaf of {record['topic']}/{record['offset']} is {leaf.hex()}")
        must(to_base64(leaf_hash(leaf)) == record["hash"], f"the hash of {record['topic']}/{record['offset']} is another")
        tree = trees.setdefault((record["topic"], record["partition"]), [])
        must(len(tree) == record["offset"], "a record is missing")
        tree.append(leaf_hash(leaf))
    return trees


def check_levels(leaves, levels, name):
    at = leaves
    for number, level in enumerate(levels):
        must([to_base64(each) for each in at] == level, f"level {number} of {name} is another")
        at = [node_hash(at[n], at[n + 1]) for n in range(0, len(at) - 1, 2)]
    must(not at, f"{name} has more levels")


def check_entries(shown, trees, notes, vkey):
    """Follows the entries as a witness does. Answers the hashes of their leaves."""
    entries, hashed = Entries(), []
    for entry, checkpoint in zip(shown, notes, strict=True):
        entries.follow(entry)
        for each in entry["heads"]:
            tree, (size, root, _) = read_head(*each["head"])
            must(root_over(trees[tree[:2]][:size]) == root, f"the root of {tree} with {size} records is another")
            must(to_base64(leaf_hash(head_leaf(*tree[:2], size, root))) == each["hash"], f"the hash of the head of {tree} is another")
        must(dict(read_head(*each["head"]) for each in entry["heads"]) == entries.heads, "the heads are not what the moves make")
        root = heads_root(entries.heads)
        must(to_base64(root) == entry["heads_root"], "the root over the heads is another")
        hashed.append(leaf_hash(entry_leaf(entry["number"], entry["time_ms"], len(entries.heads), root, cut_of(entry.get("cut")))))
        must(to_base64(hashed[-1]) == entry["hash"], "the hash of the entry is another")
        at = (entries.size, entries.root())
        must(at == (checkpoint["size"], from_base64(checkpoint["root"])) == open_checkpoint(checkpoint["note"], vkey), "a checkpoint is of another tree")
    return hashed


def check_consistency(proofs, notes):
    for name, path in proofs.items():
        first, second = [notes[int(size) - 1] for size in name.split(" to ")]
        ends = [(each["size"], from_base64(each["root"])) for each in (first, second)]
        must(is_consistent(*ends[0], *ends[1], [from_base64(each) for each in path]), f"the proof from {name} proves nothing")


def check_signatures(keys, shown):
    """Ed25519 gives one signature for each text: the notes can be made again from the seeds."""
    note = shown["proof"]["checkpoint"]
    text = note[: note.rfind("\n\n") + 1]
    signed = [from_base64(line.split(" ")[2])[4:] for line in note[len(text) + 1 : -1].split("\n")]
    log, witness = (bytes.fromhex(keys[name]["seed"]) for name in ("log", "witness"))
    must(signed[0] == ed25519.sign(log, text.encode()), "the log signs something else")
    time_s = int.from_bytes(signed[1][:8], "big")
    must(signed[1][8:] == ed25519.sign(witness, cosigned_message(text, time_s)), "the witness signs something else")
    must(check_witness(note, f"heads:{shown['witness']}") == ("heads", time_s), "the cosignature is another")


def check_proof(shown):
    value = from_base64(shown["record"]["value"])
    must(leaf_hash(record_leaf(shown["record"], value)).hex() == shown["leaf"], "the leaf of the proven record is another")
    check_place(shown["record"], value, shown["proof"], *open_checkpoint(shown["proof"]["checkpoint"], shown["vkey"]))


def check_log(records, shown_trees, entries, checkpoints, vkey):
    trees = check_records(records)
    must(len(shown_trees) == len(trees), "a tree is missing")
    for tree in shown_trees:
        check_levels(trees[tree["topic"], tree["partition"]], tree["levels"], tree["topic"])
    hashed = check_entries(entries, trees, checkpoints["notes"], vkey)
    check_levels(hashed, checkpoints["levels"], "the tree of entries")
    check_consistency(checkpoints["consistency"], checkpoints["notes"])


def check_case_hashes(shown, records, schemas):
    """Each step leads from hash to hash, and its leaf says so."""
    places = {record["hash"]: (record["topic"].encode(), record["partition"], record["offset"]) for record in records}
    leaves, found, at = [record for record in records if record["topic"] == "cases"], 0, case_start(shown["tenant_id"], shown["case_id"])
    must(to_base64(at) == shown["start"], "the hash of a case begins with another one")
    for number, (step, leaf) in enumerate(zip(shown["steps"], leaves, strict=True)):
        must([places[each] for each in step["records"]] == sorted(places[each] for each in step["records"]), "the records of a step are not sorted")
        at, found = case_step(at, step["entry"], step["cut"], [from_base64(each) for each in step["records"]]), found + len(step["records"])
        must(to_base64(at) == step["hash"], f"the hash of the case after entry {step['entry']} is another")
        value = from_base64(leaf["value"])
        name, event = read_value(value, schemas[schema_id(value)], None)
        said = {**{name: event[name] for name in ("case_id", "entry", "cut", "added", "records", "hash", "previous")}, "name": name}
        wanted = {"case_id": shown["case_id"], "entry": step["entry"], "cut": step["cut"], "added": len(step["records"]), "records": found}
        must(said == {**wanted, "hash": step["hash"], "previous": number - 1 if number else None, "name": "case_covered"}, "a leaf of the case is another")


def check_bundle(bundle, records, trusted, vkey):
    known = {number: hashlib.sha256(text.encode()).hexdigest() for number, text in bundle["schemas"].items()}
    must(known == trusted, "a schema is another")
    report = verify_bundle(bundle, vkey, set(trusted.values()))
    must("complete: the case case-7 up to cut 2; 1 of 5 records of the case are not in the bundle" in report, "the bundle proves something else")
    must(not any("names no hash" in line or "name no hash" in line for line in report), "a cause has no hash")
    log = {(record["topic"], record["offset"]): record["value"] for record in records}
    must(all(log[record["topic"], record["offset"]] == record["value"] for record in bundle["records"]), "the bundle is of another log")


def verify(page):
    vectors = {name: json.loads(text) for name, text in BLOCK.findall(page)}
    keys, vkey = vectors["keys"], vectors["keys"]["log"]["vkey"]
    check_keys(keys)
    check_log(vectors["records"], vectors["trees"], vectors["entries"], vectors["checkpoints"], vkey)
    tree, head = read_head(*vectors["generation"]["head"])
    must(to_base64(leaf_hash(head_leaf(*tree[:2], *head))) == vectors["generation"]["hash"], "the hash of a later generation is another")
    check_proof(vectors["proof"])
    check_signatures(keys, vectors["proof"])
    check_log(vectors["case_records"], vectors["case_trees"], vectors["case_entries"], vectors["case_checkpoints"], vkey)
    check_case_hashes(vectors["case_hashes"], vectors["case_records"], vectors["bundle"]["schemas"])
    check_bundle(vectors["bundle"], vectors["case_records"], vectors["case_schemas"], vkey)
    records, entries = (sum(len(vectors[name]) for name in (one, f"case_{one}")) for one in ("records", "entries"))
    return [f"verified: {len(vectors)} vectors, {records} records, {entries} entries"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    return run(verify, text)


if __name__ == "__main__":
    sys.exit(main())
