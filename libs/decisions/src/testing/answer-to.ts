import type { Change } from '../counterfactual/change.js';
import type { CallComparison } from '../counterfactual/comparison.js';
import { Counterfactual, type CounterfactualAnswer } from '../counterfactual/counterfactual.js';
import { RecordedCalls } from '../counterfactual/recorded-calls.js';
import type { Recording } from '../counterfactual/simulated-world.js';
import { TENANT } from './lived-settings.js';
import type { LivedWorld } from './lived-world.js';

const HOUR_MS = 3_600_000;

/** For specs: the counterfactual answer about all calls of a simulated world. */
export function answerTo(
  world: LivedWorld,
  changes: readonly Change[],
  as_recorded: readonly string[] = [],
  erased: readonly string[] = [],
): CounterfactualAnswer {
  const recording = { ...recordingFrom(world), as_recorded: new Set(as_recorded), erased: new Set(erased) };
  const about = [...recording.calls.ids()].filter((call_id) => !as_recorded.includes(call_id));
  const question = new Counterfactual(recording, changes, about);
  while (question.step());
  return question.answer();
}

/** For specs: the recording of everything that happened in a world. */
export function recordingFrom({ records, configuration, now_ms }: LivedWorld): Recording {
  const terms = { from_ms: 0, until_ms: now_ms, allow_for_ms: 900_000, grant_for_ms: HOUR_MS };
  const none = { as_recorded: new Set<string>(), erased: new Set<string>() };
  const calls = RecordedCalls.of(records);
  const requestedCalls = [...calls.ids()].flatMap((call_id) => calls.get(call_id)?.requested.event.call ?? []);
  const idsOf = (ids: readonly (string | null)[]) => new Set(ids.filter((id) => id !== null));
  const whole = { cases: idsOf(requestedCalls.map(({ case_id }) => case_id)), runs: idsOf(requestedCalls.map(({ run_id }) => run_id)) };
  const all = { ...whole, from_ms: 0, cut_agents: new Set<string>() };
  return { tenant_id: TENANT, calls, own: new Set(calls.ids()), configuration, trust: [], whole: all, ...none, ...terms };
}

/** The comparison of one call. */
export const of = ({ comparisons }: CounterfactualAnswer, call_id: string): CallComparison =>
  comparisons.find((one) => one.call_id === call_id) as CallComparison;
