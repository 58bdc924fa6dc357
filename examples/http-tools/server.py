"""A tool server with Python's standard library: `read_invoice` reads, `pay_invoice` writes once for each key.

    python3 server.py --secrets secrets.txt [--port 8090]

secrets.txt has the signing secrets (whsec_...), one a line, as POST /v1/tools answered them. It is read for each request, so that a
rotated secret is taken without a restart. In production, serve this behind TLS.
"""

import argparse
import base64
import hashlib
import hmac
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_BYTES_MAX = 1024 * 1024
TOLERANCE_S = 300

INVOICES = {"inv-1": {"amount": 120, "currency": "EUR"}, "inv-2": {"amount": 75, "currency": "EUR"}}
# The receipt of each key: a repeated request finds it and pays nothing.
RECEIPTS = {}


class Refused(Exception):
    """Ends a request with an error that names its code. Nothing happened."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def signature_is_valid(secrets, headers, body):
    """Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, base64, in a list of `v1,<signature>`."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = [part[3:] for part in headers.get("webhook-signature", "").split() if part.startswith("v1,")]
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected, one) for one in given):
            return True
    return False


def invoice_of(inputs):
    invoice = INVOICES.get(inputs["invoice_id"])
    if invoice is None:
        raise Refused("VALIDATION_ERROR", f"there is no invoice {inputs['invoice_id']}")
    return invoice


def run(request):
    inputs = request["inputs"]
    if request["tool"] == "read_invoice":
        return {**invoice_of(inputs), "served_by": f"python {request['version']}"}
    if request["tool"] == "pay_invoice":
        invoice = invoice_of(inputs)
        receipt = {"receipt_id": f"r-{len(RECEIPTS) + 1}", "amount": invoice["amount"]}
        return RECEIPTS.setdefault(request["idempotency_key"], receipt)
    raise Refused("VALIDATION_ERROR", f"there is no tool {request['tool']}")


def reconcile(request):
    receipt = RECEIPTS.get(request["idempotency_key"])
    return {"kind": "did_not_happen"} if receipt is None else {"kind": "happened", "output": receipt}


def compensate(request):
    RECEIPTS.pop(request["effect"]["idempotency_key"], None)
    return {"undone": True}


def verify(request):
    found = request["output"] in RECEIPTS.values()
    return {"kind": "verified"} if found else {"kind": "contradicted", "why": "there is no such receipt"}


ANSWERS = {"run": run, "reconcile": reconcile, "compensate": compensate, "verify": verify}


class Handler(BaseHTTPRequestHandler):
    secrets_file = ""

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if length > BODY_BYTES_MAX:
            return self.answer(413, {"error": {"code": "VALIDATION_ERROR", "message": "the body is too large", "effect": "none"}})
        body = self.rfile.read(length)
        with open(self.secrets_file, encoding="utf-8") as file:
            secrets = file.read().split()
        if not signature_is_valid(secrets, self.headers, body):
            return self.answer(401, {"error": {"code": "AUTH_REQUIRED", "message": "the signature is not valid", "effect": "none"}})
        request = json.loads(body)
        try:
            self.answer(200, {"result": ANSWERS[request["type"]](request)})
        except Refused as refused:
            self.answer(422, {"error": {"code": refused.code, "message": str(refused), "effect": "none"}})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args):
        """Requests carry inputs of callers: they are not logged."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--secrets", required=True)
    parser.add_argument("--port", type=int, default=8090)
    arguments = parser.parse_args()
    Handler.secrets_file = arguments.secrets
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
