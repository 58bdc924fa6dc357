import type { ShownProblem } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import type { Limit } from './limit-words.js';

/** A refusal of a change of a limit, in words if somebody else was faster. `now`: the limit as it is read again. */
export function withLimitRace(problem: Problem | undefined, now: Limit | undefined): (Problem & Pick<ShownProblem, 'advice'>) | undefined {
  if (problem?.status !== 412) return problem;
  if (!now)
    return {
      ...problem,
      title: 'A limit of this name exists',
      detail: 'somebody may have just added it',
      advice: 'Choose another name, or change that limit.',
    };
  const who = now.by === null ? 'somebody' : now.by;
  const when = now.changed_at === null ? '' : ` at ${now.changed_at.slice(0, 19).replace('T', ' ')} UTC`;
  return {
    ...problem,
    title: 'Somebody was faster; you changed nothing',
    detail: `${who} set version ${now.version} of this limit${when}`,
    advice: 'Close this, look at the limit as it is now, and change that.',
  };
}
