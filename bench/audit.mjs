// What proofs, their verification, and reading the audit cost: node bench/audit.mjs [--leaves 1000000]
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LogMerge } from '../apps/gateway/dist/audit/log-merge.js';
import { CheckpointWriter } from '../apps/projector/dist/audit/checkpoint-writer.js';
import { EventCodec, uuidv7 } from '../libs/contracts/dist/index.js';
import { BatchDecoder, EmbeddedEventLog } from '../libs/event-log/dist/index.js';
import { CheckpointFolder, ProofReader, TileFolder } from '../libs/evidence/dist/index.js';
import { GrowingTree, inclusionProof, noteSigner, openTrusted, subtreesOf, verifyUnder } from '../libs/proofs/dist/index.js';
import { PgliteStore } from '../libs/store/dist/index.js';

const LEAVES = Number(process.argv[process.argv.indexOf('--leaves') + 1] || 0) || 1_000_000;
const dir = await mkdtemp(path.join(tmpdir(), 'bench-audit-'));
const round = (value, digits = 2) => Number(value.toFixed(digits));
const cpu_ms = (from) => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

async function proofTime() {
  const tiles = new TileFolder(path.join(dir, 'big'));
  const tree = new GrowingTree();
  const from = performance.now();
  for (let n = 0; n < LEAVES; n += 1000) {
    const hashes = Buffer.concat(
      Array.from({ length: 1000 }, (_, i) =>
        createHash('sha256')
          .update(String(n + i))
          .digest(),
      ),
    );
    for (const part of tree.append(hashes)) await tiles.append('t/0', part);
  }
  const built_s = (performance.now() - from) / 1000;
  const took = [];
  for (let n = 0; n < 300; n++) {
    const started = performance.now();
    // As a request does: no tile is known before.
    await inclusionProof(
      subtreesOf((level, index) => tiles.read('t/0', level, index)),
      (n * 7_919_311) % LEAVES,
      LEAVES,
    );
    took.push(performance.now() - started);
  }
  took.sort((a, b) => a - b);
  console.log(
    `proof of one record of ${LEAVES}: p50 ${round(took[150])} ms, p99 ${round(took[297])} ms (tree built in ${round(built_s, 1)} s)`,
  );
}

const codec = new EventCodec();
const by = { kind: 'user', id: 'anna', roles: [] };
const event = (n) => {
  const ids = { event_id: uuidv7(Date.now()), tenant_id: 'acme', call_id: null, causation_id: null, correlation_id: 'c' };
  const value = codec.encode('api_key_revoked', {
    meta: { ...ids, attempt: 0, hlc: n, partition: 0 },
    key_id: `${n}`,
    by,
    revoked_at_ms: n,
  });
  return { topic: 'configuration-changed', partition: 0, key: null, value, headers: { event_type: 'api_key_revoked' } };
};

async function verification(log) {
  const signer = noteSigner('bench/log', Buffer.alloc(32, 1));
  const evidence = {
    tiles: new TileFolder(path.join(dir, 'trees')),
    checkpoints: new CheckpointFolder(path.join(dir, 'checkpoints')),
    signer,
  };
  const lanes = { topics: async () => ['configuration-changed'], learn: async () => false };
  const quiet = { warn: console.warn, error: console.error };
  const writer = new CheckpointWriter({
    log,
    evidence,
    lanes,
    now_ms: Date.now,
    logger: quiet,
    broken: async (reason) => console.error(reason),
  });
  await writer.start();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await writer.close();
  const reader = new ProofReader(evidence.checkpoints, evidence.tiles, signer.verifier);
  const records = (await Promise.all([0, 500].map((at) => log.read('configuration-changed', 0, at, 500)))).flat();
  let started = performance.now();
  const answer = await reader.proveAll(records);
  const proven = performance.now() - started;
  started = performance.now();
  const signed = openTrusted(answer.checkpoint, { log: signer.verifier, witnesses: [] });
  const refused = records.filter((record, at) => verifyUnder(record, answer.proofs[at], signed).kind === 'refused');
  await new BatchDecoder(codec, undefined).decode(records.map((record) => ({ ...record, decoded: undefined })));
  if (refused.length > 0) throw new Error('refused');
  console.log(
    `1,000 events: proven in ${round(proven, 0)} ms, verified and decoded in ${round(performance.now() - started, 0)} ms (to reach: 1,000)`,
  );
}

async function listing(log, count) {
  const wanted = { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER, matches: () => true };
  const stretch = { topic: 'configuration-changed', partition: 0, from: 0, end: count };
  for (const [what, tenant] of [
    ['all of them', 'acme'],
    ['none of them (another tenant)', 'other'],
  ]) {
    const merge = new LogMerge(log, new BatchDecoder(codec, undefined), [stretch], {
      ...wanted,
      matches: (meta) => meta.tenant_id === tenant,
    });
    const from = process.cpuUsage();
    while ((await merge.next()) !== undefined);
    console.log(`listing from the log, ${what}: ${round((cpu_ms(from) * 1000) / count)} µs of CPU a record`);
  }
}

async function rowAnEvent(count) {
  const store = await PgliteStore.open({ memory: true });
  await store.query({
    text: `CREATE TABLE audit_rows (event_id uuid PRIMARY KEY, hlc int8 NOT NULL, tenant_id text NOT NULL, call_uuid uuid, type int2 NOT NULL,
      topic int2 NOT NULL, partition int2 NOT NULL, log_offset int8 NOT NULL)`,
    params: [],
  });
  await store.query({ text: 'CREATE INDEX ON audit_rows (tenant_id, hlc)', params: [] });
  await store.query({ text: 'CREATE INDEX ON audit_rows (call_uuid)', params: [] });
  const from = process.cpuUsage();
  for (let n = 0; n < count; n += 500) {
    const of = (value) => Array.from({ length: 500 }, (_, i) => value(n + i));
    await store.atomically([
      {
        name: 'bench_audit_rows',
        text: `INSERT INTO audit_rows SELECT * FROM unnest($1::uuid[], $2::int8[], $3::text[], $4::uuid[], $5::int2[], $6::int2[], $7::int2[], $8::int8[])
          ON CONFLICT DO NOTHING`,
        params: [
          of(() => uuidv7(Date.now())),
          of((i) => i),
          of(() => 'acme'),
          of(() => uuidv7(Date.now())),
          of(() => 1),
          of(() => 1),
          of(() => 0),
          of((i) => i),
        ],
      },
    ]);
  }
  console.log(`a row an event instead (uuid key, two indexes): ${round((cpu_ms(from) * 1000) / count)} µs of CPU a row, worker included`);
  await store.close();
}

try {
  await proofTime();
  const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  await log.ensureTopics([{ name: 'configuration-changed', partitions: 1 }]);
  for (let n = 0; n < 100_000; n += 1000) await log.append(Array.from({ length: 1000 }, (_, i) => event(n + i)));
  await verification(log);
  await listing(log, 100_000);
  await log.close();
  await rowAnEvent(50_000);
} finally {
  await rm(dir, { recursive: true, force: true });
}
