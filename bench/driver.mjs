// The client, a process of its own: a closed loop with a fixed number of calls in flight over kept-alive connections.
// IPC request: {id, section, url, token, tag, calls, in_flight, copies, tool, way, case_ids, cap_ms}.
import { Pool } from 'undici';
import { ways } from './parts/ways.mjs';

const canonical = (value) =>
  JSON.stringify(value, (_, item) =>
    item && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

function percentile(sorted, share) {
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

class Client {
  constructor({ url, token, tool = 'probe_effect', way = 'post', case_ids }, connections) {
    this.tool = tool;
    /** The cases that calls take in turns; undefined: none. */
    this.case_ids = case_ids;
    this.way = ways[way];
    this.pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    this.headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    this.times = [];
    this.errors = 0;
    this.first_error = null;
    this.answered = 0;
  }

  /** One call; its output as canonical text, or null where it was not answered with success. */
  async call(key, n) {
    const inputs = { account: `acct-${n}`, amount: (n % 9000) + 1, note: 'customer reported a duplicate charge on the March invoice' };
    const began = performance.now();
    try {
      const { path, headers, body } = this.way.request(this.tool, inputs, key, this.case_ids?.[n % this.case_ids.length]);
      const response = await this.pool.request({ method: 'POST', path, headers: { ...this.headers, ...headers }, body });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text.slice(0, 300)}`);
      const output = this.way.output(text);
      this.times.push(performance.now() - began);
      this.answered++;
      return output;
    } catch (cause) {
      this.errors++;
      this.first_error ??= String(cause?.message ?? cause);
      return null;
    }
  }
}

async function drive({ section, tag, calls, in_flight, copies = 1, cap_ms, ...target }) {
  const client = new Client(target, in_flight * copies);
  const before = await client.call(`${tag}-first`, 1);
  client.times.length = 0;
  let next = 0;
  let keys = 0;
  let unequal = 0;
  const began = performance.now();
  const loop = async () => {
    while (next < calls && performance.now() - began < cap_ms) {
      const n = ++next;
      const answers = await Promise.all(Array.from({ length: copies }, () => client.call(`${tag}-${n}`, n)));
      keys++;
      if (copies > 1 && new Set(answers.filter((answer) => answer !== null).map(canonical)).size > 1) unequal++;
    }
  };
  await Promise.all(Array.from({ length: in_flight }, loop));
  const secs = (performance.now() - began) / 1000;
  const times = client.times.toSorted((a, b) => a - b);
  const after = await client.call(`${tag}-last`, 1);
  await client.pool.destroy();
  const effects = before && after ? after.seq - before.seq - 1 : Number.NaN;
  const { errors, first_error } = client;
  return {
    section,
    keys,
    calls: times.length,
    secs,
    rate: times.length / secs,
    key_rate: keys / secs,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    errors,
    first_error,
    unequal,
    effects,
  };
}

process.on('message', (order) => {
  drive(order).then(
    (result) => process.send({ id: order.id, result }),
    (cause) => process.send({ id: order.id, fault: String(cause?.stack ?? cause) }),
  );
});
process.on('disconnect', () => process.exit(0));
