import { Icon } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import { ProblemNote } from '../elements/states.js';
import type { DraftCheck } from './draft-checker.js';
import type { PlacedError } from './error-places.js';

const SHOWN = 50;

interface ProblemsListProps {
  check: DraftCheck | undefined;
  /** Shows an error in the text. */
  onSelect: (error: PlacedError) => void;
}

/** What the check says of the draft: errors and warnings with their lines, or that it could be published. */
export function ProblemsList({ check, onSelect }: ProblemsListProps) {
  const found = check?.kind === 'faulty' ? check.errors : check?.kind === 'good' ? check.warnings : [];
  return (
    <section class="policies-problems" aria-label="Check of the draft">
      <CheckState check={check} />
      {check?.kind === 'unchecked' && <ProblemNote problem={check.problem} />}
      {found.length > 0 && (
        <ol class="policies-problem-list">
          {found.slice(0, SHOWN).map((error) => (
            <li key={`${error.from} ${error.reason}`}>
              <button type="button" class="policies-problem" onClick={() => onSelect(error)}>
                <span class="policies-problem-line">Line {error.line}</span>
                <span class="policies-problem-text">
                  {error.rule !== undefined && (
                    <strong>
                      <InertText text={error.rule} characters_max={80} />{' '}
                    </strong>
                  )}
                  <InertText text={error.reason} characters_max={400} />
                </span>
                {error.pointer !== undefined && (
                  <code class="policies-problem-pointer">
                    <InertText text={error.pointer || '/'} characters_max={120} />
                  </code>
                )}
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** One line that is read out when it becomes another one. */
function CheckState({ check }: { check: DraftCheck | undefined }) {
  const { icon, tone, text } = stateOf(check);
  return (
    <p class={`policies-check tone-${tone}`} role="status">
      <Icon name={icon} />
      <span>{text}</span>
    </p>
  );
}

function stateOf(check: DraftCheck | undefined) {
  if (!check || check.kind === 'checking') return { icon: 'clock', tone: 'neutral', text: 'Checking the draft' } as const;
  if (check.kind === 'unchecked') return { icon: 'warning', tone: 'warn', text: 'The draft is not checked' } as const;
  if (check.kind === 'faulty') {
    const count = check.errors.length;
    return { icon: 'warning', tone: 'bad', text: `${count} ${count === 1 ? 'error' : 'errors'}: the draft cannot be published` } as const;
  }
  const { published_as } = check.answer;
  const text =
    published_as === null ? 'No errors: the draft can be published' : `No errors: these are the rules of version ${published_as}`;
  return { icon: 'check', tone: 'good', text } as const;
}
