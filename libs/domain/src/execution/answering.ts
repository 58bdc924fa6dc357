import { isKeyOfRequest, type KeySource, type ToolContract } from '@countersign/contracts';

/** The terms in the contract of a write for how long its answer is valid. */
export interface AnswerTerms {
  key_source: KeySource;
  /** Nothing: the contract declares no resources. Replaces: it may replace one of them. */
  names: 'nothing' | 'adds' | 'replaces';
  has_verify: boolean;
}

export function answerTerms(key_source: KeySource, contract: Pick<ToolContract, 'resources' | 'has_verify'> | undefined): AnswerTerms {
  const resources = contract?.resources ?? [];
  const names = resources.length === 0 ? 'nothing' : resources.every(({ effect }) => effect === 'adds') ? 'adds' : 'replaces';
  return { key_source, names, has_verify: contract?.has_verify === true };
}

/** What a tool says of an earlier effect. `not_asked`: its result was not kept whole, so there is nothing to ask about. */
export type EffectSeen = 'there' | 'not_there' | 'cannot_tell' | 'not_asked';

/** Answers: the settled attempt answers a new request. Gone: the request is a new effect. Verify: the tool checks whether its effect is in place. */
export type SettledAnswer = 'answers' | 'gone' | 'verify';

/**
 * Whether a succeeded attempt answers a new request for its key. A key that the caller passed identifies the request, so it always does.
 * Else the answer is valid as long as its resources are as it left them (`stands`, null: its row named none) and its tool, where it can
 * look, sees the effect: both have to hold. A write that names none and cannot be looked at never answers a new request.
 */
export function settledAnswer(stands: boolean | null, { key_source, names, has_verify }: AnswerTerms): SettledAnswer {
  if (isKeyOfRequest(key_source)) return 'answers';
  const answers = has_verify ? 'verify' : 'answers';
  if (stands !== null) return stands ? answers : 'gone';
  // The row is older than the declaration. An effect that adds must not be repeated for that.
  if (names === 'adds') return answers;
  return names === 'nothing' && has_verify ? 'verify' : 'gone';
}

/**
 * Whether an answer with untouched resources is valid after its tool verified it. If the tool cannot tell, an effect that adds is not
 * repeated and one that replaces is; without a verification, the resources decide alone.
 */
export function standsAsSeen(seen: EffectSeen, names: AnswerTerms['names']): boolean {
  if (seen === 'cannot_tell') return names === 'adds';
  return seen === 'there' || (seen === 'not_asked' && names !== 'nothing');
}
