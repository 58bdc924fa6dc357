import type { Change } from '../counterfactual/change.js';
import type { CallComparison } from '../counterfactual/comparison.js';
import { Counterfactual, type CounterfactualAnswer } from '../counterfactual/counterfactual.js';
import { RecordedCalls } from '../counterfactual/recorded-calls.js';
import { TENANT } from './lived-settings.js';
import type { LivedWorld } from './lived-world.js';

const HOUR_MS = 3_600_000;

/** For specs: what would have been of a world that was lived through, asked of all of its calls. */
export function asked(
  world: LivedWorld,
  changes: readonly Change[],
  as_recorded: readonly string[] = [],
  erased: readonly string[] = [],
): CounterfactualAnswer {
  const calls = RecordedCalls.of(world.records);
  const about = [...calls.ids()].filter((call_id) => !as_recorded.includes(call_id));
  const { configuration } = world;
  const terms = { from_ms: 0, until_ms: world.now_ms, trust: [], erased: new Set(erased), allow_for_ms: 900_000, grant_for_ms: HOUR_MS };
  const question = new Counterfactual(
    { tenant_id: TENANT, calls, configuration, as_recorded: new Set(as_recorded), ...terms },
    changes,
    about,
  );
  while (question.step());
  return question.answer();
}

/** The comparison of one call. */
export const of = ({ comparisons }: CounterfactualAnswer, call_id: string): CallComparison =>
  comparisons.find((one) => one.call_id === call_id) as CallComparison;
