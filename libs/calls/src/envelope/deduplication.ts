import type { DeduplicatedBecause, EffectNow, KeySource } from '@countersign/contracts';
import { type CallState, statusOf } from '@countersign/domain';

/** Whether the effect of an ended write is still in place, and which call replaced it. */
export interface EffectStanding {
  effect_now: EffectNow;
  /** The call whose effect replaced it, if known. */
  superseded_by: string | null;
}

/** Facts of an envelope that are not in the record of its call: they depend on the caller and the time. */
export interface AnswerNotes {
  /** Warnings for this caller that the record may lack. */
  warnings?: readonly string[];
  /** The request was already recorded before this POST. */
  repeat?: boolean;
  /** The current state of the effect, read for this answer; absent: only the record is used. */
  effect?: EffectStanding | undefined;
}

/** The envelope fields about earlier answers. */
export interface DeduplicationJson {
  deduplicated: boolean;
  deduplicated_because: DeduplicatedBecause | null;
  original_call_id: string | null;
  effect_now: EffectNow | null;
  superseded_by: string | null;
}

type Source = Pick<DeduplicationJson, 'deduplicated' | 'deduplicated_because' | 'original_call_id'>;

function sourceOf(state: CallState, repeat: boolean): Source {
  const { end, ruling } = state;
  if (end?.kind === 'deduplicated')
    return { deduplicated: true, deduplicated_because: end.deduplication?.because ?? null, original_call_id: end.original_call_id };
  const joined = ruling?.joined_call_id ?? null;
  if (joined !== null && statusOf(state) === 'pending_approval')
    return { deduplicated: true, deduplicated_because: 'live_key', original_call_id: joined };
  if (repeat) return { deduplicated: true, deduplicated_because: 'same_request', original_call_id: state.call_id };
  return { deduplicated: false, deduplicated_because: null, original_call_id: null };
}

export function deduplicationJson(state: CallState, { repeat = false, effect }: AnswerNotes): DeduplicationJson {
  const recorded = state.end?.deduplication;
  const effect_now = recorded?.effect_now ?? effect?.effect_now ?? null;
  const superseded_by = recorded?.effect_now ? recorded.superseded_by : (effect?.superseded_by ?? null);
  const { deduplicated, deduplicated_because, original_call_id } = sourceOf(state, repeat);
  return { deduplicated, deduplicated_because, original_call_id, effect_now, superseded_by };
}

const because: Readonly<Record<DeduplicatedBecause, string>> = {
  live_key: 'joined an earlier equal call that had not ended',
  same_request: 'answered with the result of the first time that this request was sent',
  effect_stands: 'answered with the result of an earlier equal call; its effect is still in place',
};
const BY_OCCURRENCE = 'to run the tool again, send a new request with `occurrence` (any new text)';
const BY_HEADER = 'to run the tool again, send another Idempotency-Key (`occurrence` does not change a key that the caller sends)';

const HINTS: Readonly<Record<KeySource, string>> = {
  header: BY_HEADER,
  derived: BY_OCCURRENCE,
  call: BY_OCCURRENCE,
  effect: 'an effect can be undone only once',
  saga: 'a step of a saga takes effect at most once',
};

/** Explains that the tool did not run for this request and how to request a run; undefined if it ran. */
export function repeatWarning(state: CallState, json: DeduplicationJson): string | undefined {
  if (!json.deduplicated) return undefined;
  const why = json.deduplicated_because === null ? 'answered with the result of an earlier equal call' : because[json.deduplicated_because];
  const ended = json.effect_now === 'superseded' ? ', but its effect is no longer in place' : '';
  return `${why}${ended}; ${HINTS[state.call?.key_source ?? 'derived']}`;
}
