#!/usr/bin/env python3
"""A check of a whole log over HTTP: COUNTERSIGN_TOKEN=… python3 verify_log.py [--witness [heads:]VKEY ...] URL VKEY

Written from docs/reference/proofs.md ("Routes", "Entries in order", "Tiles"). Fetches the newest checkpoint (with witnesses: the newest that
they cosigned), follows every entry from the first, and adds up the tiles of every tree to its signed head. Exit code 0: verified;
1: refused, with the reason.
"""
import json
import os
import sys
import urllib.error
import urllib.request

from entries import Entries, name_of
from notes import check_witness, open_checkpoint
from refused import Refused, must, run
from trees import root_over

TILE = 256


class Log:
    def __init__(self, url, token):
        self.url, self.token = url.rstrip("/"), token

    def get(self, path):
        request = urllib.request.Request(f"{self.url}/v1/audit/{path}", headers={"authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read()
        except urllib.error.HTTPError as problem:
            raise Refused(f"the log answers {problem.code} to {path}: {problem.read()[:300].decode(errors='replace')}") from None
        except OSError as fault:
            raise Refused(f"the log does not answer to {path}: {fault}") from None

    def json(self, path):
        return json.loads(self.get(path))


def tile_address(index, width):
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return "/".join(groups) + ("" if width == TILE else f".p/{width}")


def leaves_of(log, tree, size):
    """The leaf hashes of a tree, from its tiles of level 0."""
    found = b""
    for at in range(0, size, TILE):
        width = min(TILE, size - at)
        tile = log.get(f"tile/{tree.replace('#', '%23')}/0/{tile_address(at // TILE, width)}")
        must(len(tile) == width * 32, f"a tile of {tree} has another length than its address says")
        found += tile
    return [found[at : at + 32] for at in range(0, len(found), 32)]


def verify(log, vkey, witnesses):
    """The lines of the report."""
    note = log.get(f"checkpoint{'?cosigned=true' if witnesses else ''}").decode()
    size, root = open_checkpoint(note, vkey)
    checked = [check_witness(note, witness) for witness in witnesses]
    entries, opened = Entries(), []
    while entries.size < size:
        page = log.json(f"entries?first={entries.size}&second={size}")
        opened += entries.follow_page(page, size)
        must(open_checkpoint(page["checkpoint"], vkey) == (entries.size, entries.root()), "the entries of a page are not those of its checkpoint")
    must((entries.size, entries.root()) == (size, root), "the entries do not lead to the checkpoint")
    must(root_over(leaves_of(log, "checkpoints", size)) == root, "the tiles of the tree of entries do not add up to the checkpoint")
    for tree, (tree_size, tree_root, _) in entries.heads.items():
        must(root_over(leaves_of(log, name_of(tree), tree_size)) == tree_root, f"the tiles of {name_of(tree)} do not add up to its signed head")
    records = sum(head[0] for head in entries.heads.values())
    report = [f"verified: {size} entries, {len(entries.heads)} trees, {records} records", *opened]
    return report + [f"cosigned at {time_s} by a witness that checks {checks}" for checks, time_s in checked]


def main():
    arguments, witnesses = sys.argv[1:], []
    while arguments[:1] == ["--witness"]:
        witnesses.append(arguments[1])
        arguments = arguments[2:]
    return run(verify, Log(arguments[0], os.environ.get("COUNTERSIGN_TOKEN", "")), arguments[1], witnesses)


if __name__ == "__main__":
    sys.exit(main())
