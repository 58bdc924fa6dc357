#!/usr/bin/env python3
"""Whether a bundle is refused after any change of one character: python3 verify_edits.py BUNDLE VKEY FIRST END STEP

Tries every STEP-th place from the text FIRST to the text END (its last, or the end of the file if END is empty). Prints the number of edits
and each place whose edit is accepted. Exit code 0: none was.
"""
import json
import sys

from refused import UNREADABLE, Refused
from verify_bundle import verify


def is_accepted(text, vkey):
    try:
        verify(json.loads(text), vkey, set())
        return True
    except (Refused, *UNREADABLE):
        return False


def main():
    name, vkey, first, end, step = sys.argv[1:]
    with open(name, encoding="utf-8") as file:
        text = file.read()
    places = range(text.index(first), text.rindex(end) if end else len(text), int(step))
    accepted = [at for at in places if is_accepted(text[:at] + ("2" if text[at] == "1" else "1") + text[at + 1 :], vkey)]
    for at in accepted:
        print(f"accepted at {at}: {text[max(0, at - 40) : at + 40]}")
    print(f"{len(places)} edits")
    return 1 if accepted or not is_accepted(text, vkey) else 0


if __name__ == "__main__":
    sys.exit(main())
