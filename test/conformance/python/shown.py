"""Whether a bundle shows what its records say: JSON of the same types and values."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_same(one, other):
    """Equality of JSON: true is not 1."""
    if isinstance(one, dict):
        return isinstance(other, dict) and set(one) == set(other) and all(is_same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(is_same, one, other))
    return (is_number(one) and is_number(other) or type(one) is type(other)) and one == other


def is_added(name, value):
    """A member of a later release, in an event of before."""
    return value is None or value is False or is_number(value) and value == 0 or value == [] or (name, value) == ("because", "stricter")


def is_shown(event, shown):
    """A member that a later release added may be there with its default; an earlier one left out a cause_hash that is null."""
    if isinstance(event, list):
        return isinstance(shown, list) and len(event) == len(shown) and all(map(is_shown, event, shown))
    if not isinstance(event, dict):
        return is_same(event, shown)
    if not isinstance(shown, dict):
        return False
    lacking, more = set(event) - set(shown), set(shown) - set(event)
    if lacking:
        return lacking == {"cause_hash"} and event["cause_hash"] is None and not more and is_shown({name: event[name] for name in shown}, shown)
    return all(is_added(name, shown[name]) for name in more) and all(is_shown(event[name], shown[name]) for name in event)
