// The floor: the least that keeps "executed once" for an effect outside the database. Node's HTTP and Postgres, nothing else.
// Claim INSERT, commit, effect, result UPDATE, commit; calls that arrive while a commit runs share the next one.
import http from 'node:http';
import pg from 'pg';

const { FLOOR_PORT, FLOOR_DATABASE_URL } = process.env;
const COMMITS = 2;
const ROWS_MAX = 512;
const RECENT_MAX = 50_000;
// By its index whatever the table's size: a plan made while it was small would scan it for each result (0.40, not 0.07 ms a call after 30,000).
const BY_INDEX = '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off';
const pool = new pg.Pool({ connectionString: FLOOR_DATABASE_URL, max: COMMITS * 2, options: BY_INDEX });
await pool.query('CREATE TABLE call (key text PRIMARY KEY, input jsonb NOT NULL, decision jsonb NOT NULL, result jsonb)');

/** Group commit: one statement for all items that came while the statements before it ran. */
class GroupCommit {
  #items = [];
  #running = 0;
  #armed = false;

  constructor(statement) {
    this.statement = statement;
  }

  add(item) {
    return new Promise((resolve, reject) => {
      this.#items.push({ item, resolve, reject });
      if (this.#armed) return;
      this.#armed = true;
      setImmediate(() => {
        this.#armed = false;
        this.#pump();
      });
    });
  }

  #pump() {
    while (this.#items.length > 0 && this.#running < COMMITS) {
      const batch = this.#items.splice(0, ROWS_MAX);
      this.#running++;
      this.statement(batch.map(({ item }) => item))
        .then(
          (answers) => {
            for (const [at, { resolve }] of batch.entries()) resolve(answers[at]);
          },
          (cause) => {
            for (const { reject } of batch) reject(cause);
          },
        )
        .finally(() => {
          this.#running--;
          this.#pump();
        });
    }
  }
}

const claims = new GroupCommit(async (rows) => {
  const { rows: won } = await pool.query({
    name: 'claim',
    text: `INSERT INTO call (key, input, decision) SELECT * FROM unnest($1::text[], $2::jsonb[], $3::jsonb[])
           ON CONFLICT (key) DO NOTHING RETURNING key`,
    values: [rows.map((row) => row.key), rows.map((row) => row.input), rows.map((row) => row.decision)],
  });
  const keys = new Set(won.map((row) => row.key));
  return rows.map((row) => keys.has(row.key));
});

const results = new GroupCommit(async (rows) => {
  await pool.query({
    name: 'result',
    text: 'UPDATE call SET result = new.result FROM unnest($1::text[], $2::jsonb[]) AS new(key, result) WHERE call.key = new.key',
    values: [rows.map((row) => row.key), rows.map((row) => row.result)],
  });
  return rows;
});

function validated({ tool, inputs }) {
  if (tool !== 'probe_effect') throw new Error('tool');
  if (typeof inputs?.account !== 'string' || inputs.account.length > 64) throw new Error('account');
  if (!Number.isInteger(inputs.amount) || inputs.amount <= 0) throw new Error('amount');
  if (typeof inputs.note !== 'string' || inputs.note.length > 500) throw new Error('note');
  for (const name of Object.keys(inputs)) if (!['account', 'amount', 'note'].includes(name)) throw new Error(name);
  return inputs;
}

const ruled = (inputs) => (inputs.amount > 1_000_000 ? { effect: 'deny', rule: 'limit' } : { effect: 'allow', rule: 'default' });
const PAD = 'x'.repeat(120);
let effects = 0;

async function effect(key, inputs) {
  const seq = ++effects;
  await new Promise((resolve) => setImmediate(resolve));
  return { ok: true, seq, key, amount: inputs.amount, receipt: PAD };
}

async function run(key, body) {
  const inputs = validated(body);
  const decision = ruled(inputs);
  if (decision.effect !== 'allow') return { status: 'denied', output: null };
  if (!(await claims.add({ key, input: JSON.stringify(body), decision: JSON.stringify(decision) })))
    throw new Error('claimed by another life');
  const output = await effect(key, inputs);
  await results.add({ key, result: JSON.stringify(output) });
  return { status: 'succeeded', output };
}

const recent = new Map();
function answer(key, body) {
  const known = recent.get(key);
  if (known) return known;
  const running = run(key, body);
  recent.set(key, running);
  if (recent.size > RECENT_MAX) recent.delete(recent.keys().next().value);
  return running;
}

const server = http.createServer((request, response) => {
  const send = (status, value) => {
    const body = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'POST') return send(200, { effects });
    Promise.resolve()
      .then(() => answer(request.headers['idempotency-key'], JSON.parse(Buffer.concat(chunks).toString())))
      .then(
        (value) => send(200, value),
        (cause) => send(500, { detail: String(cause) }),
      );
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(FLOOR_PORT), '127.0.0.1', 1024);
process.on('SIGTERM', () => process.exit(0));
