"""Verification of Ed25519 signatures (RFC 8032 section 5.1.7), and signing for the test vectors (section 5.1.6)."""
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P:
        return None
    return P - x if (x & 1) != sign else x


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def compress(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    g, h, i, j = f - e, d - c, d + c, f + e
    return (g * h % P, i * j % P, h * i % P, g * j % P)


def times(n, point):
    result = (0, 1, 1, 0)
    while n:
        if n & 1:
            result = add(result, point)
        point, n = add(point, point), n >> 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def challenge(r, public, message):
    return int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % L


def verifies(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    left, right = times(s, BASE), add(r, times(challenge(signature[:32], public, message), a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def is_small_order(public):
    """Some verifiers take any signature for such a key."""
    point = decompress(public)
    if point is None:
        return True
    x, y, z, _ = times(8, point)
    return x % P == 0 and (y - z) % P == 0


def expanded(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def public_key(seed):
    return compress(times(expanded(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = expanded(seed)
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    point = compress(times(r, BASE))
    s = (r + challenge(point, public_key(seed), message) * scalar) % L
    return point + s.to_bytes(32, "little")
