import { isKeyOfRequest, type KeySource, type ToolContract } from '@countersign/contracts';

/** The terms in the contract of a write for how long its answer is valid. */
export interface AnswerTerms {
  key_source: KeySource;
  /** Nothing: the contract declares no resources. Adds: all of them are added to. Replaces: at least one may be replaced. */
  names: 'nothing' | 'adds' | 'replaces';
  has_verify: boolean;
}

export function answerTerms(key_source: KeySource, contract: Pick<ToolContract, 'resources' | 'has_verify'> | undefined): AnswerTerms {
  const resources = contract?.resources ?? [];
  const names = resources.length === 0 ? 'nothing' : resources.every(({ effect }) => effect === 'adds') ? 'adds' : 'replaces';
  return { key_source, names, has_verify: contract?.has_verify === true };
}

/** The tool's view of an earlier effect. `not_asked`: the result was not kept in full, so the tool cannot be queried. */
export type EffectSeen = 'there' | 'not_there' | 'cannot_tell' | 'not_asked';

/**
 * Answers: the settled attempt answers a new request. Gone: the request is a new effect. Verify: the tool must check whether its effect is
 * in place.
 */
export type SettledAnswer = 'answers' | 'gone' | 'verify';

/**
 * Decides whether a succeeded attempt answers a new request for its key. A key that the caller passed identifies the request, so it always
 * does. Otherwise the answer is valid if its resources are unchanged (`stands`; null: its row names none) and the tool, if it can verify,
 * confirms the effect. A write without resources and without verification never answers a new request.
 */
export function settledAnswer(stands: boolean | null, { key_source, names, has_verify }: AnswerTerms): SettledAnswer {
  if (isKeyOfRequest(key_source)) return 'answers';
  const answers = has_verify ? 'verify' : 'answers';
  if (stands !== null) return stands ? answers : 'gone';
  // The row is older than the declaration of resources. An effect that adds must not be repeated because of that.
  if (names === 'adds') return answers;
  return names === 'nothing' && has_verify ? 'verify' : 'gone';
}

/**
 * Whether an answer with unchanged resources is valid after the verification by its tool. If the tool cannot tell, an effect that adds is
 * not repeated and one that replaces is. Without a verification only the resources decide.
 */
export function standsAsSeen(seen: EffectSeen, names: AnswerTerms['names']): boolean {
  if (seen === 'cannot_tell') return names === 'adds';
  return seen === 'there' || (seen === 'not_asked' && names !== 'nothing');
}
