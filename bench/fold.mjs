// How fast the log is folded into rows: node --max-semi-space-size=32 bench/fold.mjs [--events 100000] (after npm run build;
// with the young generation of npm start). The same events are
// folded live and then again beside the live rows (rebuild of every projection), all counted in CPU seconds of the whole
// process, the database's thread with it; then the rows themselves are written once more by bare batched INSERTs into
// tables with the same indexes. Says whether the rebuilt rows are the live ones to the byte, and what memory did.
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startProjector } from '@countersign/projector';
import { PlatformOnDisk } from '@countersign/projector/testing/platform-on-disk';
import { courses, SampleHistory } from '@countersign/projector/testing/sample-history';
import {
  builtTable,
  caseHistory,
  createTable,
  hasRebuildWork,
  parseCursor,
  projectionDigests,
  projectionPosition,
  readBuilds,
  viewSets,
} from '@countersign/store';

const { values } = parseArgs({ options: { events: { type: 'string', default: '100000' } } });
const wanted = Number(values.events);
const CHUNK = 10_000;
const tables = viewSets.flatMap((set) => set.tables);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const MiB = (bytes) => Math.round(bytes / 1024 / 1024);
const note = (line) => process.stderr.write(`fold: ${line}\n`);

const cpu_s = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** What the main thread still holds after a collection, MiB. */
function held() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return MiB(heapUsed + external);
}

/** CPU seconds of some work, and what was held when each quarter of the records was through (looking is not counted). */
async function measured(group, total, work) {
  const quarters = [];
  let looked_s = 0;
  let peak = 0;
  let looking = Promise.resolve();
  const look = async () => {
    const text = 'SELECT COALESCE(sum(next_offset), 0)::int8 AS done FROM projection_offsets WHERE projection LIKE $1';
    const [{ done }] = await platform.store.query({ text, params: [group] });
    const since = process.cpuUsage();
    while (done > 0 && quarters.length < 3 && done >= (total * (quarters.length + 1)) / 4) quarters.push(held());
    peak = Math.max(peak, process.memoryUsage().rss);
    looked_s += cpu_s(since);
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, 250);
  const since = process.cpuUsage();
  await work();
  clearInterval(timer);
  await looking;
  const spent_s = cpu_s(since) - looked_s;
  return { cpu_s: spent_s, held: `held ${[...quarters, held()].join(' ')} MiB by quarters, peak RSS ${MiB(peak)} MiB` };
}

async function append(platform) {
  const history = new SampleHistory();
  history.openCase('c1', 'One case for all');
  let written = 0;
  for (let n = 0; written < wanted; ) {
    while (history.events.length < CHUNK) history.call(courses[n % courses.length], n++ % 3 === 0 ? 'c1' : `case-${n % 1000}`);
    const events = history.events.splice(0);
    for (let at = 0; at < events.length; at += 500) await platform.append(events.slice(at, at + 500));
    written += events.length;
  }
  return written;
}

async function folded(platform) {
  for (;;) {
    const at = new Map((await projectionPosition(platform.store)).map((row) => [row.topic, row.next_offset]));
    let behind = 0;
    for (const topic of ['tool-call-requested', 'policy-decided', 'approval-voted', 'approval-granted', 'tool-executed'])
      behind += (await platform.log.head(topic, 0)) - (at.get(topic) ?? 0);
    if (behind === 0) return;
    await sleep(200);
  }
}

async function rebuilt(platform) {
  // All at once: one replay.
  await platform.store.query({
    text: `INSERT INTO projection_requests SELECT name, 1000 FROM unnest($1::text[]) AS name
           ON CONFLICT (projection) DO UPDATE SET asked_offset = 1000`,
    params: [viewSets.map(({ name }) => name)],
  });
  while (!(await hasRebuildWork(platform.store))) await sleep(50);
  while (await hasRebuildWork(platform.store)) await sleep(200);
}

async function digests(platform) {
  const found = new Map();
  for (const { name } of viewSets)
    for (const { table, rows, digest } of await projectionDigests(platform.store, name)) found.set(table, { rows, digest });
  return found;
}

/** The same rows by nothing but INSERTs of 500, read in pages that are not counted. */
async function bare({ store }) {
  let total = 0;
  for (const table of tables) {
    const copy = builtTable(table.name, 'bare');
    for (const text of createTable(table, copy)) await store.query({ text, params: [] });
    const columns = await store.query({
      text: `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
             WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      params: [copy],
    });
    const insert = `INSERT INTO ${copy} SELECT * FROM unnest(${columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')})`;
    await store.query({ text: `DECLARE bare_rows CURSOR WITH HOLD FOR SELECT * FROM ${table.name}`, params: [] });
    for (;;) {
      const rows = await store.query({ text: 'FETCH 500 FROM bare_rows', params: [] });
      if (rows.length === 0) break;
      const params = columns.map(({ name }) => rows.map((row) => row[name]));
      const since = process.cpuUsage();
      await store.atomically([{ text: insert, params, name: `bare_${table.name}` }]);
      total += cpu_s(since);
    }
    await store.query({ text: 'CLOSE bare_rows', params: [] });
    await store.query({ text: `DROP TABLE ${copy}`, params: [] });
  }
  return total;
}

/** Median CPU milliseconds of a page of 100 lines at the start, the middle and the end of the largest case. */
async function pages({ store }) {
  const [{ n }] = await store.query({ text: `SELECT count(*)::int4 AS n FROM case_history WHERE case_id = 'c1'`, params: [] });
  const places = [0, n >> 1, n - 101].map((offset) => Math.max(0, offset));
  const costs = [];
  for (const offset of places) {
    const [row] = await store.query({
      text: `SELECT hlc, event_id, seq FROM case_history WHERE tenant_id = 'acme' AND case_id = 'c1' ORDER BY hlc, event_id, seq OFFSET ${offset} LIMIT 1`,
      params: [],
    });
    const after = parseCursor(Buffer.from(`${row.hlc}|${row.event_id}:${row.seq}`).toString('base64url'));
    const times = [];
    for (let turn = 0; turn < 15; turn++) {
      const since = process.cpuUsage();
      await caseHistory(store, { tenant_id: 'acme', case_id: 'c1', limit: 100, after });
      times.push(cpu_s(since) * 1000);
    }
    costs.push(times.sort((a, b) => a - b)[7]);
  }
  return { lines: n, costs };
}

const platform = await PlatformOnDisk.open({ database: 'on disk' });
let projector;
try {
  const events = await append(platform);
  note(`${events} events are on the log`);
  const live = await measured('views', events, async () => {
    projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await folded(platform);
  });
  note(`folded live: ${Math.round(events / live.cpu_s)} events a CPU second, ${live.held}`);
  const before = await digests(platform);
  // Before and after, since other work on the machine changes what a CPU second is worth.
  const bare_before_s = await bare(platform);
  const again = await measured('replay-%', events, () => rebuilt(platform));
  note(`folded again: ${Math.round(events / again.cpu_s)} events a CPU second, ${again.held}`);
  const after = await digests(platform);
  const builds = (await readBuilds(platform.store))
    .filter(({ state }) => state === 'live')
    .map(({ projection, suffix }) => `${projection} ${suffix}`);
  for (const [name, { rows, digest }] of before) {
    const now = after.get(name);
    if (now.digest !== digest)
      note(`${name} differs: ${rows} rows of ${digest.slice(0, 12)} live, ${now.rows} of ${now.digest.slice(0, 12)} rebuilt`);
  }
  const equal = [...before].filter(([name, { digest }]) => after.get(name).digest === digest).length;
  const rows = [...before.values()].reduce((sum, table) => sum + table.rows, 0);
  const page = await pages(platform);
  await projector.close();
  projector = undefined;
  const bare_s = (bare_before_s + (await bare(platform))) / 2;
  console.log(`events ${events}, rows ${rows} in ${tables.length} tables (${builds.join(', ')})`);
  console.log(`live fold     ${Math.round(events / live.cpu_s)} events a CPU second, ${live.held}`);
  console.log(`rebuild       ${Math.round(events / again.cpu_s)} events a CPU second, ${again.held}`);
  console.log(
    `bare INSERT   ${Math.round(rows / bare_s)} rows a CPU second; rebuild takes ${(again.cpu_s / bare_s).toFixed(2)} times its CPU`,
  );
  console.log(`digests       ${equal} of ${before.size} tables are rebuilt to the byte`);
  console.log(
    `history page  ${page.costs.map((ms) => ms.toFixed(2)).join(' / ')} CPU-ms at the start, middle and end of a case of ${page.lines} lines`,
  );
  process.exitCode = equal === before.size ? 0 : 1;
} finally {
  await projector?.close();
  await platform.close();
}
