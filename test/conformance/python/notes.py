"""Keys, notes, checkpoints and cosignatures of docs/reference/proofs.md ("Keys and notes")."""
import hashlib
import re

import ed25519
from refused import from_base64, must

LOG, COSIGNATURE_V1 = 1, 4
NAME = re.compile(r"[^\s+]{1,200}\Z")
SIZE = re.compile(r"(0|[1-9][0-9]{0,15})\Z")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


def key_hash(name, typed):
    return hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]


def key_of(vkey, kind):
    """Name, key hash and public key of a key of this kind."""
    name, hex_hash, encoded = vkey.split("+", 2)
    typed = from_base64(encoded)
    must(NAME.match(name) and len(typed) == 33 and typed[0] == kind, "the key is not of its kind")
    must(key_hash(name, typed).hex() == hex_hash, "the hash of the key is not that of its name and bytes")
    must(not ed25519.is_small_order(typed[1:]), "the key is no point of the curve, or one of small order")
    return name, key_hash(name, typed), typed[1:]


def signature_lines(note):
    """What is signed, and each line with its signer and bytes."""
    must(isinstance(note, str) and len(note) <= 1_000_000 and not CONTROL.search(note), "the checkpoint is no note")
    split = note.rfind("\n\n")
    must(split >= 0 and note.endswith("\n"), "the checkpoint is no note")
    signed, found = note[split + 2 : -1].split("\n"), []
    must(len(signed) <= 100, "a note has too many signatures")
    for line in signed:
        dash, signer, blob = line.split(" ")
        raw = from_base64(blob)
        must(dash == "\u2014" and NAME.match(signer) and len(raw) > 4, "a line of the note is no signature")
        found.append((line, signer, raw))
    return note[: split + 1], found


def signatures_of(note, name, wanted):
    """What is signed, and the signatures of one key under it."""
    text, lines = signature_lines(note)
    return text, [raw[4:] for _, signer, raw in lines if signer == name and raw[:4] == wanted]


def open_checkpoint(note, vkey):
    """Size and root of a checkpoint that this log signed."""
    name, wanted, public = key_of(vkey, LOG)
    text, found = signatures_of(note, name, wanted)
    must(found, f"the checkpoint is not signed by {name}")
    must(all(ed25519.verifies(public, text.encode(), each) for each in found), f"the signature of {name} is wrong")
    origin, size, root = text.split("\n")[:3]
    must(origin == name, "the checkpoint is of another log")
    must(SIZE.match(size) and int(size) < 2**53, "the checkpoint has no size")
    hashed = from_base64(root)
    must(len(hashed) == 32, "the checkpoint has no root")
    return int(size), hashed


def cosigned_message(text, time_s):
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


def check_witness(note, witness):
    """What a witness had checked when it cosigned (`heads:` marks the key of one that checks every tree of every entry), and when."""
    checks = "heads" if witness.startswith("heads:") else "entries"
    name, wanted, public = key_of(witness.removeprefix("heads:"), COSIGNATURE_V1)
    text, found = signatures_of(note, name, wanted)
    for raw in found:
        time_s = int.from_bytes(raw[:8], "big")
        if len(raw) == 72 and ed25519.verifies(public, cosigned_message(text, time_s), raw[8:]):
            return checks, time_s
    must(False, f"the checkpoint is not cosigned by {name}")
