import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import { RuleCard } from './rule-card.js';
import { diffWords, type FieldChange, type PolicyDiff, type RuleChange } from './rule-diff.js';
import './changes.css';

const SHOWN = 20;
const MARKS = { added: ['Added', 'good'], removed: ['Removed', 'bad'], changed: ['Changed', 'busy'] } as const;

/** How two policies differ, rule by rule. */
export function RuleChanges({ diff, names }: { diff: PolicyDiff; names: readonly [before: string, after: string] }) {
  const [shown, setShown] = useState(SHOWN);
  const { rules, policy, unchanged } = diff;
  if (rules.length === 0 && policy.length === 0)
    return (
      <p class="soft">
        No difference between {names[0]} and {names[1]}.
      </p>
    );
  return (
    <div class="stack">
      <p class="soft">
        From {names[0]} to {names[1]}: {diffWords(diff)}
        {unchanged > 0 && `; ${unchanged} unchanged`}.
      </p>
      <ul class="policies-changes" aria-label={`Changes from ${names[0]} to ${names[1]}`}>
        {policy.length > 0 && (
          <li class="policies-change">
            <header class="policies-change-head">
              <Tag tone="busy">Changed</Tag> <strong>The policy itself</strong>
            </header>
            <FieldChanges fields={policy} />
          </li>
        )}
        {rules.slice(0, shown).map((change) => (
          <Change key={`${change.kind} ${change.rule.id}`} change={change} />
        ))}
      </ul>
      {rules.length > shown && (
        <button type="button" class="text-button" onClick={() => setShown(shown + 5 * SHOWN)}>
          Show more changes ({rules.length - shown} left)
        </button>
      )}
    </div>
  );
}

function Change({ change }: { change: RuleChange }) {
  const [word, tone] = MARKS[change.kind];
  return (
    <li class="policies-change">
      {change.kind === 'changed' ? (
        <>
          <header class="policies-change-head">
            <Tag tone={tone}>{word}</Tag>
            <strong>
              <InertText text={change.rule.id} characters_max={120} />
            </strong>
          </header>
          <FieldChanges fields={change.fields} />
        </>
      ) : (
        <>
          <header class="policies-change-head">
            <Tag tone={tone}>{word}</Tag>
          </header>
          <RuleCard rule={change.rule} />
        </>
      )}
    </li>
  );
}

function FieldChanges({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <dl class="policies-field-changes">
      {fields.map(({ field, word, before, after }) => (
        <div key={field}>
          <dt>{word}</dt>
          <dd class="policies-before">
            <span class="visually-hidden">before: </span>
            <InertText text={before} look="block" mono={field === 'when'} characters_max={400} />
          </dd>
          <dd class="policies-after">
            <span class="visually-hidden">after: </span>
            <InertText text={after} look="block" mono={field === 'when'} characters_max={400} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
