#!/usr/bin/env python3
"""Whether a log only grew between two checkpoints: python3 verify_history.py VKEY EARLIER LATER HISTORY [SCHEMA_SHA256 ...]

EARLIER and LATER are bundles or checkpoints; HISTORY is what `countersign verify --save-history` keeps. Written from
docs/reference/proofs.md. Exit code 0: every tree only grew, entry by entry, or went on as another generation by a decision on the record,
which is named; 1: refused, with the reason. SCHEMA_SHA256: the schemas by which decisions may be read, other than that of the page.
"""
import json
import sys

from entries import Entries
from notes import open_checkpoint
from refused import must, run


def checkpoint_of(text):
    return json.loads(text)["checkpoint"] if text.lstrip().startswith("{") else text


def verify(vkey, earlier, later, text, trusted=frozenset()):
    """The lines of the report."""
    history = json.loads(text)
    must(history["format"] == "countersign-history/v1", "the format is unknown")
    first = open_checkpoint(checkpoint_of(earlier), vkey)
    second = open_checkpoint(checkpoint_of(later), vkey)
    entries = Entries.from_heads(history["heads"], trusted)
    must((entries.size, entries.root()) == first, "the heads are not those of the earlier checkpoint")
    opened = [line for page in history["pages"] for line in entries.follow_page(page, second[0])]
    must((entries.size, entries.root()) == second, "the entries do not lead to the later checkpoint")
    return [f"verified: from checkpoint {first[0]} to {second[0]} every tree only grew{', but for:' if opened else ''}", *opened]


def main():
    texts = [open(name, encoding="utf-8").read() for name in sys.argv[2:5]]
    return run(verify, sys.argv[1], *texts, set(sys.argv[5:]))


if __name__ == "__main__":
    sys.exit(main())
