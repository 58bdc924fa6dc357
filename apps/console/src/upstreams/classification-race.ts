import type { ShownProblem } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';

const NAMES_SHOWN = 5;

/** A refusal of classifications, in words if tools changed after the person had looked at them. `sent`: the tools of the request, in its order. */
export function withClassificationRace(
  problem: Problem | undefined,
  sent: readonly string[],
): (Problem & Pick<ShownProblem, 'advice'>) | undefined {
  if (problem?.status !== 412) return problem;
  const { validation, ...rest } = problem;
  const changed = (validation?.issues ?? []).flatMap(({ path }) => sent[Number(path.split('/')[2])] ?? []);
  const more = changed.length > NAMES_SHOWN ? ` and ${changed.length - NAMES_SHOWN} more` : '';
  return {
    ...rest,
    title: 'Nothing was classified: it changed after you had looked at it',
    detail: `another person classified it, or the server describes it in another way: ${(changed.length > 0 ? changed : sent).slice(0, NAMES_SHOWN).join(', ')}${more}`,
    advice:
      sent.length === 1
        ? 'Close this, look at the tool as it is now, and classify that.'
        : 'The list shows the tools as they are now. Look at these again; what you chose of the others is kept.',
  };
}
