// A tool server with Node's standard library: `read_invoice` reads, `pay_invoice` writes once for each key.
//
//     node server.mjs --secrets secrets.txt [--port 8090]
//
// secrets.txt has the signing secrets (whsec_...), one a line, as POST /v1/tools answered them. It is read for each request, so that a
// rotated secret is taken without a restart. In production, serve this behind TLS.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const BODY_BYTES_MAX = 1024 * 1024;
const TOLERANCE_S = 300;

const invoices = new Map([
  ['inv-1', { amount: 120, currency: 'EUR' }],
  ['inv-2', { amount: 75, currency: 'EUR' }],
]);
/** The receipt of each key: a repeated request finds it and pays nothing. */
const receipts = new Map();

/** Ends a request with an error that names its code. Nothing happened. */
class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const isSame = (a, b) => a.length === b.length && timingSafeEqual(a, b);

/** Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, base64, in a list of `v1,<signature>`. */
function isSignatureValid(secrets, headers, body) {
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const given = (headers['webhook-signature'] ?? '').split(' ').flatMap((part) => (part.startsWith('v1,') ? [Buffer.from(part.slice(3), 'base64')] : []));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body).digest();
    return given.some((one) => isSame(one, expected));
  });
}

function invoiceOf({ invoice_id }) {
  const invoice = invoices.get(invoice_id);
  if (!invoice) throw new Refused(422, 'VALIDATION_ERROR', `there is no invoice ${invoice_id}`);
  return invoice;
}

const tools = {
  read_invoice: ({ inputs, version }) => ({ ...invoiceOf(inputs), served_by: `node ${version}` }),
  pay_invoice: ({ inputs, idempotency_key }) => {
    const { amount } = invoiceOf(inputs);
    if (!receipts.has(idempotency_key)) receipts.set(idempotency_key, { receipt_id: `r-${receipts.size + 1}`, amount });
    return receipts.get(idempotency_key);
  },
};

const answers = {
  run(request) {
    const tool = Object.hasOwn(tools, request.tool) ? tools[request.tool] : undefined;
    if (!tool) throw new Refused(422, 'VALIDATION_ERROR', `there is no tool ${request.tool}`);
    return tool(request);
  },
  reconcile({ idempotency_key }) {
    const output = receipts.get(idempotency_key);
    return output ? { kind: 'happened', output } : { kind: 'did_not_happen' };
  },
  compensate({ effect }) {
    receipts.delete(effect.idempotency_key);
    return { undone: true };
  },
  verify({ output }) {
    const found = [...receipts.values()].some(({ receipt_id }) => receipt_id === output.receipt_id);
    return found ? { kind: 'verified' } : { kind: 'contradicted', why: 'there is no such receipt' };
  },
};

async function bodyOf(request) {
  const parts = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Refused(413, 'VALIDATION_ERROR', 'the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function answerTo(request) {
  const body = await bodyOf(request);
  const secrets = readFileSync(options.secrets, 'utf8').split(/\s+/).filter(Boolean);
  if (!isSignatureValid(secrets, request.headers, body)) throw new Refused(401, 'AUTH_REQUIRED', 'the signature is not valid');
  const asked = JSON.parse(body.toString());
  return answers[asked.type](asked);
}

const { values: options } = parseArgs({ options: { secrets: { type: 'string' }, port: { type: 'string', default: '8090' } } });
const server = createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  answerTo(request).then(
    (result) => send(200, { result }),
    (error) => {
      if (error instanceof Refused) send(error.status, { error: { code: error.code, message: error.message, effect: 'none' } });
      // The effect is unknown here: the platform asks with `reconcile`.
      else send(500, { error: { code: 'UNKNOWN', message: 'the server failed' } });
    },
  );
});
server.listen(Number(options.port), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
