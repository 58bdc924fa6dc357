/** What a status means for the person who looks at a call, and what to do next. */
export interface StatusWords {
  means: string;
  next?: string;
}

const WORDS: Readonly<Record<string, StatusWords>> = {
  pending_policy: {
    means: 'Policy has not decided yet.',
    next: 'This usually takes milliseconds. If it stays, policy may be down: look at Health.',
  },
  pending_approval: {
    means: 'Nothing has happened yet. A person has to agree first.',
    next: 'Open the approval to see who may decide, and until when.',
  },
  running: { means: 'The tool runs. Its effect may already have happened.', next: 'Wait, or cancel it: the tool is then asked to stop.' },
  succeeded: { means: 'The tool ran, and its result is on the record.' },
  failed: { means: 'The tool ran or was tried, and reported an error.' },
  denied: { means: 'It was refused. The tool did not run.' },
  expired: { means: 'Nobody decided in time. The tool did not run.', next: 'If it is still wanted, the agent asks again.' },
  cancelled: { means: 'It was cancelled before it took effect.' },
  in_doubt: {
    means: 'The effect may have happened, or not: the answer of the tool was lost.',
    next: 'Look in the system of record, then resolve the call. Nothing retries it until then.',
  },
  compensated: { means: 'Its effect was undone.' },
  compensation_failed: {
    means: 'Its effect stands: the undo failed.',
    next: 'Look at the undo call, correct the cause, and undo it again.',
  },
};

/** A status that this console does not know has no words. */
export const statusWords = (status: string): StatusWords => (Object.hasOwn(WORDS, status) ? (WORDS[status] as StatusWords) : { means: '' });

/** What a cancellation can do to a call in this status; undefined: it cannot be cancelled. */
export function cancelWords(status: string): string | undefined {
  if (status === 'pending_policy') return 'Policy has not decided yet, so nothing has happened. The call ends as cancelled.';
  if (status === 'pending_approval')
    return 'Nothing has happened yet. The call ends as cancelled, and its approval request closes for everyone.';
  if (status === 'running')
    return 'The tool runs. It is asked to stop; what it has already done is not undone. If it was about to take effect, the outcome may be in doubt, and a person has to resolve it.';
  return undefined;
}

const BECAUSE: Readonly<Record<string, string>> = {
  live_key: 'An equal call had not ended yet, so this one joined it.',
  same_request: 'The same request was sent before, so it was answered as it ended then.',
  effect_stands: 'An equal call had ended, and its effect was still in place, so its result is the answer.',
};

const EFFECT_NOW: Readonly<Record<string, string>> = {
  stands: 'The effect is still in place.',
  superseded: 'The effect is no longer in place: a later effect replaced it.',
  unknown: 'Whether the effect is still in place is unknown: the tool declares nothing that tells.',
};

export const deduplicationWords = (because: string | null): string =>
  (because !== null && Object.hasOwn(BECAUSE, because) ? BECAUSE[because] : undefined) ??
  'An equal call was made before, so its result is the answer.';

export const effectNowWords = (effect_now: string | null): string | undefined =>
  effect_now !== null && Object.hasOwn(EFFECT_NOW, effect_now) ? EFFECT_NOW[effect_now] : undefined;
