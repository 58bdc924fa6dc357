import { InertText } from './inert.js';
import { type Difference, differences } from './json-diff.js';
import './diff.css';

interface DiffProps {
  before: unknown;
  after: unknown;
  /** What the two are: `Proposed`, `Edited`. */
  names: readonly [before: string, after: string];
  /** `rows`: one below the other, for narrow places; `columns`: side by side. */
  look?: 'rows' | 'columns';
}

/** Where two JSON values differ, field by field. */
export function Diff({ before, after, names, look = 'columns' }: DiffProps) {
  const found = differences(before, after);
  if (found.length === 0) return <p class="soft">No difference.</p>;
  return (
    <ul class={`diff diff-${look}`} aria-label={`Differences between ${names[0]} and ${names[1]}`}>
      {found.map((difference) => (
        <li key={difference.pointer} class="diff-item">
          <code class="diff-pointer">
            <InertText text={difference.pointer || '/'} characters_max={200} />
          </code>
          <div class="diff-values">
            <Side name={names[0]} sign="−" difference={difference} field="before" />
            <Side name={names[1]} sign="+" difference={difference} field="after" />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Side({ name, sign, difference, field }: { name: string; sign: string; difference: Difference; field: 'before' | 'after' }) {
  if (!(field in difference)) return <div class="diff-side diff-none">not in {name}</div>;
  const value = (difference as Record<'before' | 'after', unknown>)[field];
  return (
    <div class={`diff-side diff-${field}`}>
      <span class="diff-sign" aria-hidden="true">
        {sign}
      </span>
      <span class="visually-hidden">{name}: </span>
      <InertText text={typeof value === 'string' ? value : JSON.stringify(value, null, 1)} look="block" mono />
    </div>
  );
}
