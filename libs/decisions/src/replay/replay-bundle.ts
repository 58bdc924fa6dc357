import { canonicalText, type ToolContract } from '@countersign/contracts';
import { decisive } from '../counterfactual/comparison.js';
import { RecordedCalls } from '../counterfactual/recorded-calls.js';
import type { Recording } from '../counterfactual/simulated-world.js';
import type { ReadEvent } from '../read-event.js';

export const REPLAY_FORMAT = 'countersign-replay/1';

/** A tool of the run, with its contract as it was registered last before the run's end. */
export interface ReplayedTool {
  name: string;
  version: string;
  digest: string;
  contract: ToolContract;
}

/** A call of the run: its envelope, and what was decided about it. */
export interface ReplayedCall {
  call_id: string;
  envelope: unknown;
  decided: Record<string, unknown>;
}

/** All that is needed to decide a run again, in one JSON document. */
export interface ReplayBundle {
  format: typeof REPLAY_FORMAT;
  tenant_id: string;
  run_id: string;
  transcript: unknown;
  tools: ReplayedTool[];
  calls: ReplayedCall[];
  configuration: ReadEvent[];
  trust: ReadEvent[];
  records: ReadEvent[];
  as_recorded: string[];
  erased: string[];
  terms: { from_ms: number; until_ms: number; allow_for_ms: number; grant_for_ms: number };
}

/** What a ruling may rest on; nothing else of the configuration leaves the installation. */
const RESTS_ON =
  /^(tenant_set|tool_policy_set|tool_lifecycle_set|tool_pin_set|tool_evaluation_set|adapter_pin_set|tool_registered|policy_|fact_|limit_|grant_set|case_set|delegation_set)/;

const byPlace = (a: ReadEvent, b: ReadEvent): number =>
  a.topic !== b.topic ? (a.topic < b.topic ? -1 : 1) : a.partition - b.partition || a.offset - b.offset;

/** The records of a recording, in an order of their own, and the configuration up to the last of them. */
function kept(recording: Recording): Pick<ReplayBundle, 'configuration' | 'trust' | 'records'> {
  const records = [...recording.calls.ids()].flatMap((call_id) => recording.calls.get(call_id)?.events ?? []).sort(byPlace);
  const cases = new Set(records.flatMap((record) => (record.event_type === 'tool_call_requested' ? [record.event.call.case_id] : [])));
  const last_ms = Math.max(0, ...records.map(({ timestamp_ms }) => timestamp_ms));
  const known = ({ timestamp_ms }: ReadEvent): boolean => timestamp_ms <= last_ms;
  const isOf = (record: ReadEvent): boolean => record.event_type !== 'case_set' || cases.has(record.event.case_id);
  const configuration = recording.configuration.filter((record) => known(record) && RESTS_ON.test(record.event_type) && isOf(record));
  return { configuration, trust: recording.trust.filter(known), records };
}

function toolsOf({ configuration, records }: Pick<ReplayBundle, 'configuration' | 'records'>): ReplayedTool[] {
  const used = new Set(
    records.flatMap((record) => (record.event_type === 'tool_call_requested' ? [record.event.call.contract_digest] : [])),
  );
  const tools = new Map<string, ReplayedTool>();
  for (const record of configuration) {
    if (record.event_type !== 'tool_registered') continue;
    const { name, version, digest, contract_json } = record.event;
    if (used.has(digest)) tools.set(`${name}@${version}`, { name, version, digest, contract: JSON.parse(contract_json) as ToolContract });
  }
  return [...tools.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** The bundle of a run. `about`: its calls with their envelopes. The same record gives the same bundle. */
export function replayBundle(
  recording: Recording,
  run: { run_id: string; transcript: unknown; about: readonly { call_id: string; envelope: unknown }[] },
): ReplayBundle {
  const { tenant_id, as_recorded, erased, from_ms, allow_for_ms, grant_for_ms } = recording;
  const stored = kept(recording);
  const about = [...run.about].sort((a, b) => (a.call_id < b.call_id ? -1 : 1));
  return {
    format: REPLAY_FORMAT,
    tenant_id,
    run_id: run.run_id,
    transcript: run.transcript,
    tools: toolsOf(stored),
    calls: about.flatMap(({ call_id, envelope }) => {
      const state = recording.calls.get(call_id)?.state;
      return state ? [{ call_id, envelope, decided: decisive(state) }] : [];
    }),
    ...stored,
    as_recorded: [...as_recorded].sort(),
    erased: [...erased].sort(),
    terms: { from_ms, until_ms: Math.max(0, ...stored.records.map(({ timestamp_ms }) => timestamp_ms)), allow_for_ms, grant_for_ms },
  };
}

/** Its bytes: canonical JSON (RFC 8785). */
export function replayText(bundle: ReplayBundle): string {
  return canonicalText(JSON.parse(JSON.stringify(bundle)));
}

/** What a bundle recorded, to decide it again. */
export function recordingOf(bundle: ReplayBundle): Recording {
  return {
    tenant_id: bundle.tenant_id,
    calls: RecordedCalls.of(bundle.records.map((record) => ({ ...record, traceparent: undefined }))),
    configuration: bundle.configuration,
    trust: bundle.trust,
    as_recorded: new Set(bundle.as_recorded),
    erased: new Set(bundle.erased),
    ...bundle.terms,
  };
}
