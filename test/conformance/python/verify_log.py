#!/usr/bin/env python3
"""A check of a whole log over HTTP: COUNTERSIGN_TOKEN=… python3 verify_log.py [--witness [heads:]VKEY ...] [--earlier NOTE] URL VKEY

Written from docs/reference/proofs.md ("Routes", "Entries in order", "Tiles"). Fetches the newest checkpoint (with witnesses: the newest that
they cosigned), follows every entry from the first, also through an earlier checkpoint that was kept (a file), and adds up the tiles of every
tree to its signed head. Exit code 0: verified; 1: refused, with the reason.
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


def follow(log, vkey, size, earlier):
    """Every entry up to this size, each page compared with its own note, through an earlier checkpoint."""
    entries, opened, ends = Entries(), [], {size}
    if earlier is not None:
        must(earlier[0] <= size, f"the log shrank: it had {earlier[0]} checkpoints and serves {size}")
        ends.add(earlier[0])
    while entries.size < size:
        until = min(end for end in ends if end > entries.size)
        page = log.json(f"entries?first={entries.size}&second={until}")
        opened += entries.follow_page(page, until)
        at = (entries.size, entries.root())
        must(open_checkpoint(page["checkpoint"], vkey) == at, "the entries of a page are not those of its checkpoint")
        must(earlier is None or entries.size != earlier[0] or at == earlier, f"the log forked: checkpoint {entries.size} is not the earlier one")
    return entries, opened


def check_tiles(log, entries, size, root):
    must(root_over(leaves_of(log, "checkpoints", size)) == root, "the tiles of the tree of entries do not add up to the checkpoint")
    for tree, (tree_size, tree_root, _) in entries.heads.items():
        must(root_over(leaves_of(log, name_of(tree), tree_size)) == tree_root, f"the tiles of {name_of(tree)} do not add up to its signed head")


def verify(log, vkey, witnesses, earlier):
    """The lines of the report."""
    note = log.get(f"checkpoint{'?cosigned=true' if witnesses else ''}").decode()
    size, root = open_checkpoint(note, vkey)
    checked = [check_witness(note, witness) for witness in witnesses]
    entries, opened = follow(log, vkey, size, earlier and open_checkpoint(earlier, vkey))
    must((entries.size, entries.root()) == (size, root), "the entries do not lead to the checkpoint")
    covered = Entries.from_heads(log.json(f"heads?size={size}"))
    must(covered.heads == entries.heads and (covered.size, covered.root()) == (size, root), "the heads are not those of the checkpoint")
    check_tiles(log, entries, size, root)
    records = sum(head[0] for head in entries.heads.values())
    report = [f"verified: {size} entries, {len(entries.heads)} trees, {records} records", *opened]
    return report + [f"cosigned at {time_s} by a witness that checks {checks}" for checks, time_s in checked]


def options(arguments):
    """Witnesses, the earlier note, and what is left."""
    witnesses, earlier = [], None
    while arguments and arguments[0] in ("--witness", "--earlier"):
        if arguments[0] == "--witness":
            witnesses.append(arguments[1])
        else:
            with open(arguments[1], encoding="utf-8") as file:
                earlier = file.read()
        arguments = arguments[2:]
    return witnesses, earlier, arguments


def main():
    witnesses, earlier, (url, vkey) = options(sys.argv[1:])
    return run(verify, Log(url, os.environ.get("COUNTERSIGN_TOKEN", "")), vkey, witnesses, earlier)


if __name__ == "__main__":
    sys.exit(main())
