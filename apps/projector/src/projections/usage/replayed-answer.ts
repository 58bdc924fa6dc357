import type { Outcome } from '@countersign/contracts';
import type { EndFact } from '@countersign/domain';
import type { Change } from '../projection.js';

/** One answered duplicate, and whether its answer equals that of the call that had the effect. */
interface Replay {
  tenant_id: string;
  tool: string;
  version: string;
  partition: number;
  at_ms: number;
  /** duplicates, compared, equal_answers */
  add: readonly number[];
}

const answer = ({ status, output_json, error, effect }: Outcome): string => JSON.stringify([status, output_json, error, effect]);

/**
 * Undefined except for the first answer to a duplicate. Equal if the original got the same answer, either in doubt or at its end: both
 * precede it in the same partition of `tool-executed`. Not compared if the original is not on the folded record (retention deleted it).
 */
export function replayOf({ at, before, after, original }: Change): Replay | undefined {
  if (at.event_type !== 'tool_retry_deduplicated' || !after?.end || before?.end) return undefined;
  const { meta, tool, version, outcome } = at.event;
  const replayed = answer(outcome);
  const answers = [original?.end, original?.doubt].filter((fact): fact is EndFact => fact != null);
  const equal = answers.some((fact) => answer(fact.outcome) === replayed);
  const add = [1, answers.length > 0 ? 1 : 0, equal ? 1 : 0];
  return { tenant_id: meta.tenant_id, tool, version, partition: at.partition, at_ms: at.timestamp_ms, add };
}
