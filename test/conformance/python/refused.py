"""How these verifiers refuse, and the one way to read base64."""
import base64
import struct

# What broken input raises while it is read.
UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError, struct.error)


class Refused(Exception):
    """What is shown does not hold; the message says why."""


def must(holds, reason):
    if not holds:
        raise Refused(reason)


def from_base64(text):
    """The bytes of a text that is the one way to write them."""
    must(isinstance(text, str), "a base64 text is missing")
    data = base64.b64decode(text, validate=True)
    must(base64.b64encode(data).decode() == text, "a base64 text is not the one way to write its bytes")
    return data


def to_base64(data):
    return base64.b64encode(data).decode()


def is_count(value):
    return type(value) is int and 0 <= value < 2**53


def run(check, *arguments):
    """The exit code of a check: 0 and its lines, or 1 and the reason."""
    try:
        lines = check(*arguments)
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    except UNREADABLE as fault:
        print(f"refused: the input cannot be read ({type(fault).__name__}: {str(fault)[:200]})")
        return 1
    for line in lines:
        print(line)
    return 0
