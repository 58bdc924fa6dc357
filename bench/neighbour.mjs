// A process of the bench `noisy-neighbour`: the victim, who sends calls at a fixed rate and measures them, or the attacker.
// IPC request: {id, act: 'measure' | 'begin' | 'end', ...}; answers {id, result} or {id, fault}.
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { attacks } from './parts/attacks.mjs';

const LATE_MS = 10_000;

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;

/** Open loop: each time counts from when the request was due, so that a blocked platform does not get fewer requests. */
async function measure({ url, token, tag, per_s, for_ms }) {
  const pool = new Pool(url, { connections: 64, pipelining: 1, headersTimeout: LATE_MS, bodyTimeout: LATE_MS });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, prefer: 'wait=10' };
  const calls = [];
  const health = [];
  let errors = 0;
  let first_error = null;
  const timed = async (times, due, request) => {
    try {
      const { statusCode, body } = await pool.request(request);
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
    } catch (cause) {
      errors++;
      first_error ??= String(cause?.message ?? cause);
    }
    times.push(performance.now() - due);
  };
  const began = performance.now();
  const all = [];
  for (let n = 0; (n * 1000) / per_s < for_ms; n++) {
    const due = began + (n * 1000) / per_s;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const inputs = { account: `acct-${n}`, amount: (n % 9000) + 1, note: 'customer reported a duplicate charge' };
    const body = JSON.stringify({ tool: 'probe_effect', inputs });
    all.push(timed(calls, due, { method: 'POST', path: '/v1/calls', headers: { ...headers, 'idempotency-key': `${tag}-${n}` }, body }));
    if (n % 5 === 0) all.push(timed(health, due, { method: 'GET', path: '/healthz' }));
  }
  await Promise.all(all);
  await pool.destroy();
  const sorted = (times) => times.toSorted((a, b) => a - b);
  const [of_calls, of_health] = [sorted(calls), sorted(health)];
  return {
    calls: calls.length,
    p50: percentile(of_calls, 0.5),
    p99: percentile(of_calls, 0.99),
    worst: of_calls.at(-1),
    health_p99: percentile(of_health, 0.99),
    errors,
    first_error,
  };
}

let attack;
const acts = {
  measure,
  begin: async ({ kind, ...options }) => {
    // An attacker has a machine of its own; here it gives way to those whom it would otherwise take the cores from.
    setPriority(19);
    attack = new attacks[kind](options);
    await attack.begin();
  },
  end: async () => {
    await attack.end();
    return attack.answers.counts;
  },
};

process.on('message', ({ id, act, ...request }) => {
  acts[act](request).then(
    (result) => process.send({ id, result }),
    (cause) => process.send({ id, fault: String(cause?.stack ?? cause) }),
  );
});
process.on('disconnect', () => process.exit(0));
