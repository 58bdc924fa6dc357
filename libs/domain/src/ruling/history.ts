import type { RulingExplanation } from '@countersign/contracts';

/** What the rules of a ruling were told of earlier calls, as a member of whatever goes on from it; nothing where none asked. */
export function historyOf({ explanation }: { explanation: RulingExplanation | null }): { history_json?: string } {
  const text = explanation?.history_json ?? null;
  return text === null ? {} : { history_json: text };
}
