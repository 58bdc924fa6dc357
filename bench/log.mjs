// The embedded log against the disk itself: node bench/log.mjs [--calls 1000000] [--dir path]   (after npm run build)
// "floor" is a plain write + fdatasync of the same bytes in the same run; cpu is the whole process (user + system).
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedEventLog } from '@countersign/event-log/embedded/embedded-event-log';

const { values: args } = parseArgs({ options: { calls: { type: 'string', default: '20000' }, dir: { type: 'string' } } });
const dir = mkdtempSync(join(args.dir ?? tmpdir(), 'countersign-bench-log-'));
const VALUE = Buffer.alloc(300, 'v');
const FRAME_BYTES = 27 + 36 + 4 + 10 + 19 + VALUE.length;
const TOPICS = ['tool-call-requested', 'policy-decided', 'tool-executed', 'approval-granted'];
const KEY = '0190a5c4-7d1e-7000-8000-0123456789ab';
const record = (topic, partition) => ({ topic, partition, key: KEY, value: VALUE, headers: { event_type: 'tool_call_requested' } });

async function measure(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const count = await work();
  const used = process.cpuUsage(cpu);
  return { per_s: (count / (performance.now() - start)) * 1000, cpu_us: (used.user + used.system) / count };
}

async function floor(records, perWrite) {
  const path = join(dir, 'floor');
  const fd = openSync(path, 'w');
  const bytes = Buffer.alloc(FRAME_BYTES * perWrite + 40, 1);
  const step = (call) => new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
  const result = await measure(async () => {
    let at = 0;
    for (let done = 0; done < records; done += perWrite, at += bytes.length) {
      await step((end) => write(fd, bytes, 0, bytes.length, at, end));
      await step((end) => fdatasync(fd, end));
    }
    return records;
  });
  closeSync(fd);
  return result;
}

function row(name, result, against) {
  const ratio =
    against === undefined
      ? ''
      : `   ${(result.per_s / against.per_s).toFixed(2)} of the floor's rate, ${(result.cpu_us / against.cpu_us).toFixed(2)} x its cpu`;
  console.log(
    `${name.padEnd(44)} ${Math.round(result.per_s).toString().padStart(9)} records/s ${result.cpu_us.toFixed(2).padStart(8)} cpu-us/record${ratio}`,
  );
}

const open = () => EmbeddedEventLog.open({ dir: join(dir, 'log') });

async function producers(log, inFlight, records) {
  let left = records;
  const one = async (partition) => {
    while (left-- > 0) await log.append([record(TOPICS[0], partition)]);
  };
  return measure(async () => {
    await Promise.all(Array.from({ length: inFlight }, (_, at) => one(at % 4)));
    return records;
  });
}

async function batches(log, size, records) {
  const batch = Array.from({ length: size }, (_, at) => record(TOPICS[at % 4], at % 4));
  return measure(async () => {
    for (let done = 0; done < records; done += size) await log.append(batch);
    return records;
  });
}

/** Every record from the start, by followers of all partitions. */
async function scan(log) {
  let records = 0;
  return measure(async () => {
    const run = await log.follow({
      topics: TOPICS,
      visibility: 'durable',
      batch_records_max: 500,
      from: 'start',
      onBatch: async (batch) => {
        records += batch.records.length;
      },
    });
    await run.caughtUp();
    await run.close();
    return records;
  });
}

/** A request is answered by an appended reader with a ruling, and that by the end: three records, all durable. */
async function chain(log, rounds) {
  const runs = [];
  const hop = async (from, to) => {
    const onBatch = async ({ records }) => void log.append(records.map(() => record(to, 0)));
    runs.push(await log.follow({ topics: [from], visibility: 'appended', batch_records_max: 500, from: 'head', onBatch }));
  };
  let ended;
  await hop(TOPICS[0], TOPICS[1]);
  await hop(TOPICS[1], TOPICS[2]);
  const onBatch = async () => ended?.();
  runs.push(await log.follow({ topics: [TOPICS[2]], visibility: 'durable', batch_records_max: 500, from: 'head', onBatch }));
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const end = new Promise((resolve) => {
      ended = resolve;
    });
    await log.append([record(TOPICS[0], 0)]);
    await end;
    times.push(performance.now() - start);
  }
  await Promise.all(runs.map((run) => run.close()));
  return times.sort((a, b) => a - b);
}

/** Calls of four records, 64 at once, with a reader that keeps up; memory is printed as it goes. */
async function longRun(log, calls) {
  const run = await log.follow({
    topics: TOPICS,
    visibility: 'appended',
    batch_records_max: 500,
    from: 'head',
    onBatch: async () => undefined,
  });
  let left = calls;
  const one = async (partition) => {
    while (left-- > 0) {
      await log.append([record(TOPICS[0], partition)]);
      await log.append([record(TOPICS[1], partition), record(TOPICS[2], partition)]);
      await log.append([record(TOPICS[2], partition)]);
      if (left % Math.ceil(calls / 10) === 0) console.log(`  ${calls - left} calls: rss ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
    }
  };
  const result = await measure(async () => {
    await Promise.all(Array.from({ length: 64 }, (_, at) => one(at % 4)));
    return calls * 4;
  });
  await run.close();
  return result;
}

try {
  let log = await open();
  await log.ensureTopics(TOPICS.map((name) => ({ name, partitions: 4 })));
  await producers(log, 64, 20_000);
  const [alone, sixtyFour, hundred] = [await floor(1_000, 1), await floor(64_000, 64), await floor(100_000, 100)];
  row('floor, one at a time', alone);
  row('log, one at a time', await producers(log, 1, 1_000), alone);
  row('floor, 64 a write', sixtyFour);
  row('log, 64 producers', await producers(log, 64, 64_000), sixtyFour);
  row('log, 256 producers', await producers(log, 256, 128_000), sixtyFour);
  row('floor, 100 a write', hundred);
  row('log, batches of 100', await batches(log, 100, 200_000), hundred);
  row('log, batches of 500', await batches(log, 500, 400_000), hundred);
  const times = await chain(log, 500);
  console.log(
    `three hops, the last one durable: p50 ${times[250].toFixed(2)} ms = ${((times[250] * alone.per_s) / 1000).toFixed(2)} plain syncs, p99 ${times[495].toFixed(2)} ms`,
  );
  await log.close();
  const start = performance.now();
  log = await open();
  console.log(`reopened in ${Math.round(performance.now() - start)} ms`);
  row('scan of all partitions from disk', await scan(log));
  row(`${args.calls} calls of four records, 64 at once`, await longRun(log, Number(args.calls)));
  await log.close();
} finally {
  rmSync(dir, { recursive: true });
}
