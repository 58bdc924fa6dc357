"""DER (X.690) as far as a token of a time-stamping authority needs it."""
import datetime
import re

from refused import must

TIME = re.compile(r"(\d{14})(\.\d+)?Z\Z")


class Element:
    def __init__(self, tag, content, raw):
        self.tag, self.content, self.raw = tag, content, raw

    def parts(self):
        return elements(self.content)


def elements(data):
    """The elements one after the other in some bytes."""
    found, at = [], 0
    while at < len(data):
        must(len(data) - at >= 2, "an element of the token breaks off")
        tag, length, start = data[at], data[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            must(1 <= count <= 4 and start + count <= len(data), "an element of the token has no length")
            length, start = int.from_bytes(data[start : start + count], "big"), start + count
        must(start + length <= len(data), "an element of the token breaks off")
        found.append(Element(tag, data[start : start + length], data[at : start + length]))
        at = start + length
    return found


def only(data):
    found = elements(data)
    must(len(found) == 1, "the token has another number of elements")
    return found[0]


def oid(element):
    must(element.tag == 0x06 and element.content, "the token has no object identifier where one must be")
    numbers, value = [], 0
    for byte in element.content:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def time_s(element):
    """Seconds since 1970 of a GeneralizedTime, without its fraction."""
    found = TIME.match(element.content.decode())
    must(element.tag == 0x18 and found, "the token has no time")
    return int(datetime.datetime.strptime(found[1] + "+0000", "%Y%m%d%H%M%S%z").timestamp())
