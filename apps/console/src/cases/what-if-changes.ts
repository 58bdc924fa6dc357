import type { operations } from '@countersign/client/generated/api';

type Body = operations['counterfactual_of_case']['requestBody']['content']['application/json'];
/** One condition that is changed in a counterfactual. */
export type WhatIfChange = Body['changes'][number];

const CHANGES_MAX = 50;
const KINDS = new Set(['approval', 'policy', 'fact', 'limit', 'result', 'left_out']);

/** The changes that an address contains. What is no list of changes is none; the gateway checks the rest. */
export function changesOf(text: string): WhatIfChange[] {
  if (text === '') return [];
  try {
    const value = JSON.parse(text) as unknown;
    if (!Array.isArray(value)) return [];
    return value.filter((each): each is WhatIfChange => KINDS.has((each as { kind?: string } | null)?.kind ?? '')).slice(0, CHANGES_MAX);
  } catch {
    return [];
  }
}

/** A change in words. `titleOf` names the call of a call id or of an approval id. */
export function changeWords(change: WhatIfChange, titleOf: (id: string) => string): string {
  switch (change.kind) {
    case 'approval':
      return `${change.vote === 'deny' ? 'Denial' : 'Approval'} by ${change.voter ?? 'you'}${change.at ? ` at ${change.at}` : ''}: ${titleOf(change.approval_id)}`;
    case 'policy':
      return change.version === undefined
        ? 'another policy'
        : change.version === null
          ? 'only the built-in rules'
          : `policy ${change.version}`;
    case 'fact':
      return `other rows in the table ${change.table}`;
    case 'limit':
      return change.limit === null ? `no limit ${change.limit_id}` : `limit ${change.limit_id} at ${change.max ?? 'other terms'}`;
    case 'result':
      return `another result of ${titleOf(change.call_id)}`;
    case 'left_out':
      return `without: ${titleOf(change.call_id)}`;
  }
}

const DIFFERENCES: Readonly<Record<string, string>> = {
  left_out: 'left out',
  newly_allowed: 'would be allowed',
  newly_denied: 'would be denied',
  approval_added: 'would need an approval',
  approval_avoided: 'would need no approval',
  newly_deferred: 'would be held back',
  rule: 'another rule',
  status: 'another end',
  started_earlier: 'earlier',
  started_later: 'later',
  never_started: 'would not run',
  newly_started: 'would run',
  result: 'another result',
};

/** A difference in words; one that this console does not know is shown by its name. */
export const differenceWords = (difference: string): string =>
  (Object.hasOwn(DIFFERENCES, difference) ? DIFFERENCES[difference] : undefined) ?? difference.replaceAll('_', ' ');

const RESULTS: Readonly<Record<string, string>> = {
  recorded: 'with its recorded result',
  recorded_at_another_time: 'assumed: the same result at another time',
  replaced: 'with the result that you gave',
  identical_call: 'with the result of an identical call',
};

export const resultWords = (kind: string | undefined): string | undefined =>
  kind !== undefined && Object.hasOwn(RESULTS, kind) ? RESULTS[kind] : undefined;
