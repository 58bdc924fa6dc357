"""Timestamps of checkpoints (RFC 3161; docs/reference/proofs.md, "Timestamps"). What is signed is read here; openssl checks by whom."""
import hashlib
import os
import ssl
import subprocess
import tempfile

from der import oid, only, time_s
from notes import LOG, key_of, signature_lines
from refused import must

SIGNED_DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"
DIGESTS = {"2.16.840.1.101.3.4.2.1": "sha256", "2.16.840.1.101.3.4.2.2": "sha384", "2.16.840.1.101.3.4.2.3": "sha512"}
SIGNATURES = {
    "1.2.840.113549.1.1.1": None,
    **{f"1.2.840.113549.1.1.{n}": hashed for n, hashed in ((11, "sha256"), (12, "sha384"), (13, "sha512"))},
    **{f"1.2.840.10045.4.3.{n}": hashed for n, hashed in ((2, "sha256"), (3, "sha384"), (4, "sha512"))},
    "1.3.101.112": None,
}
TOKEN_BYTES_MAX = 64 * 1024


def timestamped_bytes(note, vkey):
    """The note with only the first line of the log's key."""
    text, lines = signature_lines(note)
    name, wanted, _ = key_of(vkey, LOG)
    own = [line for line, signer, raw in lines if signer == name and raw[:4] == wanted]
    must(own, "the checkpoint has no line of the log")
    return f"{text}\n{own[0]}\n".encode()


def read_token(token):
    """The bytes of the statement, and the parts of its only signer."""
    kind, content = only(token).parts()
    must(oid(kind) == SIGNED_DATA, "the token is no signed data")
    _, _, encapsulated, *rest = only(content.content).parts()
    kind, content = encapsulated.parts()
    must(oid(kind) == TST_INFO, "the token holds no timestamp")
    signers = rest[-1].parts()
    must(rest[-1].tag == 0x31 and len(signers) == 1, "the token is not signed exactly once")
    return only(content.content).content, signers[0].parts()


def named_certificate(values):
    """The hash algorithm and hash of the certificate that the signed attributes name (RFC 5035, RFC 5816)."""
    later, first = values.get(SIGNING_CERTIFICATE_V2), values.get(SIGNING_CERTIFICATE)
    must(later or first, "the token names no certificate")
    parts = (later or first)[0].parts()[0].parts()[0].parts()
    if not later:
        return "sha1", parts[0].content
    if parts[0].tag == 0x30:
        return DIGESTS.get(oid(parts[0].parts()[0])), parts[1].content
    return "sha256", parts[0].content


def check_signer(statement, signer, certificate):
    """The signed attributes are of this statement, by algorithms that are accepted, and name this certificate."""
    digest, attributes, algorithm = DIGESTS.get(oid(signer[2].parts()[0])), signer[3], oid(signer[4].parts()[0])
    must(digest is not None and attributes.tag == 0xA0, "the digest of the token is not accepted")
    must(algorithm in SIGNATURES and SIGNATURES[algorithm] in (None, digest), "the algorithm of the signature is not accepted")
    values = {}
    for attribute in attributes.parts():
        name, found = attribute.parts()
        values.setdefault(oid(name), []).extend(found.parts())
    types, digests = values.get(CONTENT_TYPE, []), values.get(MESSAGE_DIGEST, [])
    must([oid(each) for each in types] == [TST_INFO], "the signed attributes are of other content")
    must([each.content for each in digests] == [hashlib.new(digest, statement).digest()], "the signed digest is that of another timestamp")
    algorithm, hashed = named_certificate(values)
    must(algorithm is not None and hashlib.new(algorithm, certificate).digest() == hashed, "the timestamp is not of the pinned certificate")


def stated_time(statement, data):
    version, _, imprint, _, time, *_ = only(statement).parts()
    algorithm, hashed = imprint.parts()
    must(version.content == b"\1" and DIGESTS.get(oid(algorithm.parts()[0])) == "sha256", "the timestamp is of another version or hash")
    must(hashed.content == hashlib.sha256(data).digest(), "the timestamp is of other bytes")
    return time_s(time)


def check_token(token, data, certificate):
    """The time in seconds, once this certificate's key signed a timestamp of these bytes: it alone is trusted, as it was at that time."""
    must(len(token) <= TOKEN_BYTES_MAX, "the token is too large")
    statement, signer = read_token(token)
    at = stated_time(statement, data)
    with open(certificate, encoding="utf-8") as file:
        check_signer(statement, signer, ssl.PEM_cert_to_DER_cert(file.read()))
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("note", "token.der")]
        for name, content in zip(names, (data, token)):
            with open(name, "wb") as file:
                file.write(content)
        trust = ["-CAfile", certificate, "-partial_chain", "-attime", str(at)]
        ran = subprocess.run(["openssl", "ts", "-verify", "-data", names[0], "-in", names[1], "-token_in", *trust], capture_output=True, check=False)
    must(ran.returncode == 0 and b"Verification: OK" in ran.stdout + ran.stderr, "openssl refuses the timestamp under the pinned certificate")
    return at
