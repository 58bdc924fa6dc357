import type { ToolContract } from '@countersign/contracts';
import { type CallState, compensationIn, evolveCompensated } from '@countersign/domain';
import { decisive } from '../counterfactual/comparison.js';
import { RecordedCalls } from '../counterfactual/recorded-calls.js';
import { nothingWhole, type Recording } from '../counterfactual/simulated-world.js';
import type { ReadEvent } from '../read-event.js';
import { canonicalPieces } from './canonical-pieces.js';
import { countedElsewhere, type SumsOfOthers } from './counted-elsewhere.js';

export const REPLAY_FORMAT = 'countersign-replay/2';
/** Bundles of before: whole calls of others instead of sums, and envelopes that the records do not give. They replay still. */
export const EARLIER_FORMAT = 'countersign-replay/1';

/** A tool of the run, with its contract as last registered before the end of the run. */
export interface ReplayedTool {
  name: string;
  version: string;
  digest: string;
  contract: ToolContract;
}

/** A call of the run: its envelope, as the records of the bundle give it, and its decision. */
export interface ReplayedCall {
  call_id: string;
  envelope: unknown;
  decided: Record<string, unknown>;
}

/** Everything that is needed to decide a run again, in one JSON document. */
export interface ReplayBundle {
  format: typeof REPLAY_FORMAT | typeof EARLIER_FORMAT;
  tenant_id: string;
  run_id: string;
  transcript: unknown;
  tools: ReplayedTool[];
  calls: ReplayedCall[];
  configuration: ReadEvent[];
  trust: ReadEvent[];
  records: ReadEvent[];
  counted_elsewhere: SumsOfOthers;
  as_recorded: string[];
  erased: string[];
  terms: { from_ms: number; until_ms: number; allow_for_ms: number; grant_for_ms: number };
}

/** The configuration events that a ruling may depend on; no other configuration is exported. */
const RESTS_ON =
  /^(tenant_set|tool_policy_set|tool_lifecycle_set|tool_pin_set|tool_evaluation_set|adapter_pin_set|tool_registered|policy_|fact_|limit_|grant_set|case_set|delegation_set)/;

/** The records of the recording's own calls, sorted by topic, partition and offset. One step per call and partition. */
function* inPlace(recording: Recording): Generator<void, ReadEvent[]> {
  const places = new Map<string, ReadEvent[]>();
  for (const call_id of recording.own) {
    for (const record of recording.calls.get(call_id)?.events ?? []) {
      const place = `${record.topic}\0${String(record.partition).padStart(6, '0')}`;
      const known = places.get(place);
      if (known) known.push(record);
      else places.set(place, [record]);
    }
    yield;
  }
  const records: ReadEvent[] = [];
  for (const place of [...places.keys()].sort()) {
    for (const record of (places.get(place) as ReadEvent[]).sort((a, b) => a.offset - b.offset)) records.push(record);
    yield;
  }
  return records;
}

/** The records of a recording, with the configuration up to the last of them. */
function* kept(recording: Recording): Generator<void, Pick<ReplayBundle, 'configuration' | 'trust' | 'records'> & { last_ms: number }> {
  const records = yield* inPlace(recording);
  const cases = new Set<string | null>();
  let last_ms = 0;
  for (const record of records) {
    last_ms = Math.max(last_ms, record.timestamp_ms);
    if (record.event_type === 'tool_call_requested') cases.add(record.event.call.case_id);
  }
  yield;
  const known = ({ timestamp_ms }: ReadEvent): boolean => timestamp_ms <= last_ms;
  const isOf = (record: ReadEvent): boolean => record.event_type !== 'case_set' || cases.has(record.event.case_id);
  const configuration = recording.configuration.filter((record) => known(record) && RESTS_ON.test(record.event_type) && isOf(record));
  yield;
  return { configuration, trust: recording.trust.filter(known), records, last_ms };
}

function* toolsOf({ configuration, records }: Pick<ReplayBundle, 'configuration' | 'records'>): Generator<void, ReplayedTool[]> {
  const used = new Set(
    records.flatMap((record) => (record.event_type === 'tool_call_requested' ? [record.event.call.contract_digest] : [])),
  );
  yield;
  const tools = new Map<string, ReplayedTool>();
  for (const record of configuration) {
    if (record.event_type !== 'tool_registered' || !used.has(record.event.digest)) continue;
    const { name, version, digest, contract_json } = record.event;
    tools.set(`${name}@${version}`, { name, version, digest, contract: JSON.parse(contract_json) as ToolContract });
    yield;
  }
  return [...tools.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** The envelope that the state of a call gives, as JSON text. */
export type EnvelopeOf = (state: CallState) => string;

/** A run and its calls. */
export interface ReplayedRun {
  run_id: string;
  transcript: unknown;
  call_ids: readonly string[];
}

/** The ends of undos, by the call whose effect they undid. */
export function undosIn(records: readonly ReadEvent[]): Map<string, ReadEvent[]> {
  const undos = new Map<string, ReadEvent[]>();
  for (const record of records) {
    const call_id = compensationIn(record)?.effect.call_id;
    if (call_id !== undefined) undos.set(call_id, [...(undos.get(call_id) ?? []), record]);
  }
  return undos;
}

/** The envelope of a call, from its records and the ends of its undos. */
export function envelopeIn(state: CallState, undos: ReadonlyMap<string, readonly ReadEvent[]>, envelopeOf: EnvelopeOf): unknown {
  return JSON.parse(envelopeOf((undos.get(state.call_id) ?? []).reduce(evolveCompensated, state))) as unknown;
}

const ownOf = (recording: Recording, ids: ReadonlySet<string>): string[] => [...ids].filter((call_id) => recording.own.has(call_id)).sort();

/** Builds the bundle of a run in small steps. The same record gives the same bundle. */
export function* replayBundle(recording: Recording, run: ReplayedRun, envelopeOf: EnvelopeOf): Generator<void, ReplayBundle> {
  const { tenant_id, as_recorded, erased, from_ms, allow_for_ms, grant_for_ms } = recording;
  const { last_ms, ...stored } = yield* kept(recording);
  const tools = yield* toolsOf(stored);
  const counted_elsewhere = yield* countedElsewhere(recording, last_ms);
  const undos = undosIn(stored.records);
  const calls: ReplayedCall[] = [];
  for (const call_id of [...run.call_ids].sort()) {
    const state = recording.calls.get(call_id)?.state;
    if (state) calls.push({ call_id, envelope: envelopeIn(state, undos, envelopeOf), decided: decisive(state) });
    yield;
  }
  return {
    format: REPLAY_FORMAT,
    tenant_id,
    run_id: run.run_id,
    transcript: run.transcript,
    tools,
    calls,
    ...stored,
    counted_elsewhere,
    as_recorded: ownOf(recording, as_recorded),
    erased: ownOf(recording, erased),
    terms: { from_ms, until_ms: last_ms, allow_for_ms, grant_for_ms },
  };
}

/** Levels of a member that are written element by element: one record, or one message of a transcript, at a time. */
const LEVELS: Readonly<Record<string, number>> = { transcript: 3, counted_elsewhere: 2 };

/** The bytes of a bundle in pieces: canonical JSON (RFC 8785). */
export function* replayPieces(bundle: ReplayBundle): Generator<string> {
  yield* canonicalPieces(bundle, (name) => LEVELS[name] ?? 1);
}

/** The recording in a bundle, to decide it again. */
export function recordingOf(bundle: ReplayBundle): Recording {
  const calls = RecordedCalls.of(bundle.records.map((record) => ({ ...record, traceparent: undefined })));
  return {
    tenant_id: bundle.tenant_id,
    calls,
    own: new Set(calls.ids()),
    configuration: bundle.configuration,
    trust: bundle.trust,
    as_recorded: new Set(bundle.as_recorded),
    erased: new Set(bundle.erased),
    whole: nothingWhole,
    ...bundle.terms,
  };
}
