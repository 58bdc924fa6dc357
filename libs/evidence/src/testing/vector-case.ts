import { createHash } from 'node:crypto';
import { nodeHashing, recordHash } from '@countersign/proofs';
import { smallLogSigner } from '@countersign/proofs/testing/small-log';
import {
  recordVector,
  text,
  texts,
  treeVector,
  VectorEntries,
  type VectorEntry,
  vectorTree,
} from '@countersign/proofs/testing/vector-parts';
import { BUNDLE_FORMAT, type Bundle, type BundledRecord, type BundledStep, callSummary, caseHash, caseStart } from '@countersign/verifier';
import { type CallRecord, CaseParts } from '../cases/case-parts.js';
import { type VectorEvent, vectorEvent, vectorSchemas } from './vector-events.js';

const TENANT = 'acme';
const CASE = 'case-7';
const CALL = '0-0199a1b2-0000-7000-8000-0000000000c1';
const OTHER_CALL = '0-0199a1b2-0000-7000-8000-0000000000c2';
const START_MS = 1_790_000_300_000;
const uuid = (n: number) => `0199a1b2-0000-7000-8000-${String(n).padStart(12, '0')}`;

let serial = 0;
function metaOf(call_id: string | null, cause?: VectorEvent) {
  serial++;
  const cause_hash = cause ? text(recordHash(cause.record)) : null;
  const causation_id = cause ? (cause.event.meta.event_id as string) : null;
  return { event_id: uuid(serial), tenant_id: TENANT, call_id, causation_id, hlc: START_MS * 1000 + serial, cause_hash };
}

const call = { tool: 'write_file', effect_class: 'commit_low', case_id: CASE };
const request = vectorEvent('tool-call-requested', 0, START_MS, 'tool_call_requested', { meta: metaOf(CALL), call } as never);
const ruling = vectorEvent('policy-decided', 0, START_MS + 10, 'policy_decided', {
  meta: metaOf(CALL, request),
  ...{
    decision_id: `${CALL}.1`,
    revision: 1,
    effect: 'allow',
    rule: 'local',
    bundle_version: 'v1',
    approval_id: null,
    joined_call_id: null,
    call,
  },
} as never);
const start = vectorEvent('tool-executed', 0, START_MS + 20, 'tool_call_started', {
  meta: metaOf(CALL, ruling),
  ...{ revision: 1, epoch: 1 },
} as never);
const other = vectorEvent('tool-call-requested', 1, START_MS + 30, 'tool_call_requested', { meta: metaOf(OTHER_CALL), call } as never);
const end = vectorEvent('tool-executed', 1, START_MS + 40, 'tool_executed', {
  meta: metaOf(CALL, start),
  ...{ epoch: 1, outcome: { status: 'succeeded', effect: 'happened' } },
} as never);

/** What each entry covers first. The second one is open: it has the number of the closed cut that follows. */
const COVERED = [
  { cut: { number: 1, state: 'closed' }, events: [request] },
  { cut: { number: 2, state: 'open' }, events: [ruling, start] },
  { cut: { number: 2, state: 'closed' }, events: [other, end] },
] as const;
const LAST = { cut: { number: 3, state: 'closed' }, events: [] } as const;

function callRecord({ record, event: { meta } }: VectorEvent): CallRecord {
  const { topic, partition, offset } = record;
  return { topic, partition, offset, leaf: recordHash(record), tenant_id: TENANT, call_id: meta.call_id as string };
}

/** The leaves of the case, each covered by the entry after its own, and the hashes that lead to them. */
async function coveredCase() {
  const parts = new CaseParts({ of: () => ({ kind: 'case', case_id: CASE }) });
  const leaves: VectorEvent[] = [];
  const steps: { entry: number; cut: number; records: string[]; hash: string }[] = [];
  let hash = caseStart(nodeHashing, TENANT, CASE);
  let records = 0;
  for (const [entry, { cut, events }] of COVERED.entries()) {
    const added = (await parts.cover(events.map(callRecord)))[0]?.records.map(({ leaf }) => leaf) ?? [];
    hash = caseHash(nodeHashing, hash, { entry, cut: cut.number }, added);
    records += added.length;
    steps.push({ entry, cut: cut.number, records: texts(added), hash: text(hash) });
    const event = { meta: metaOf(null), case_id: CASE, entry, cut: cut.number, added: added.length, records, hash: text(hash) };
    const previous = entry === 0 ? null : entry - 1;
    leaves.push(vectorEvent('cases', entry, START_MS + 1000 * (entry + 1), 'case_covered', { ...event, previous } as never));
  }
  return { leaves, steps, start: text(caseStart(nodeHashing, TENANT, CASE)) };
}

const { leaves, steps, start: startHash } = await coveredCase();
const recordsOf = (...events: readonly VectorEvent[]) => events.map(({ record }) => record);
const trees = [
  vectorTree('cases', 0, recordsOf(...leaves)),
  vectorTree('policy-decided', 0, recordsOf(ruling)),
  vectorTree('tool-call-requested', 0, recordsOf(request, other)),
  vectorTree('tool-executed', 0, recordsOf(start, end)),
];
const entries = [...COVERED, LAST].map(({ cut }, number): VectorEntry => {
  const covered = COVERED.slice(0, number + 1).flatMap(({ events }): readonly VectorEvent[] => events);
  const sizes = trees.map(({ topic, records }) =>
    topic === 'cases' ? number : recordsOf(...covered).filter((record) => records.includes(record)).length,
  );
  return { time_ms: START_MS + 1000 * (number + 1), cut, sizes };
});
const log = new VectorEntries(trees, entries, smallLogSigner);

async function bundled({ event_type, event, record }: VectorEvent): Promise<BundledRecord> {
  return { ...record, value: text(record.value), event_type, event, proof: await log.paths(record) };
}

async function bundle(checkpoint: string): Promise<Bundle> {
  const shown = [request, ruling, start, end];
  const placed = shown.map(({ event_type, event, record }) => ({ ...record, event_type, event }));
  const records = await Promise.all(shown.map(bundled));
  const hashes = shown.map(({ record }) => text(recordHash(record)));
  const indexed = steps.map(({ entry, cut, records: all }): BundledStep => {
    return { entry, cut, records: all.map((hash) => (hashes.includes(hash) ? hashes.indexOf(hash) : hash)) };
  });
  return {
    ...{ format: BUNDLE_FORMAT, tenant_id: TENANT, subject: { call_id: CALL }, made_at_ms: START_MS + 9000 },
    calls: [callSummary(CALL, placed as never)],
    records,
    schemas: Object.fromEntries(vectorSchemas.map(({ id, schema }) => [id, schema])),
    case: { leaf: await bundled(leaves.at(-1) as VectorEvent), steps: indexed },
    checkpoint,
    vkey: smallLogSigner.verifier.vkey,
  };
}

/** A log with the records of a case, its leaves and cuts, and a bundle: test vectors of docs/reference/proofs.md, by name. */
export async function vectorCase() {
  const checkpoints = await log.checkpoints();
  return {
    case_records: trees.flatMap(({ records }) => records.map(recordVector)),
    case_trees: trees.map(treeVector),
    case_entries: await log.shown(),
    case_checkpoints: checkpoints,
    case_schemas: Object.fromEntries(vectorSchemas.map(({ id, schema }) => [id, createHash('sha256').update(schema).digest('hex')])),
    case_hashes: { tenant_id: TENANT, case_id: CASE, start: startHash, steps },
    bundle: await bundle(checkpoints.notes.at(-1)?.note as string),
  };
}
