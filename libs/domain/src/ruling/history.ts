import type { RulingExplanation } from '@countersign/contracts';

/** The call history that the rules of a ruling used, as a member of later records; empty if no rule used it. */
export function historyOf({ explanation }: { explanation: RulingExplanation | null }): { history_json?: string } {
  const text = explanation?.history_json ?? null;
  return text === null ? {} : { history_json: text };
}
