import type { ComponentChildren } from 'preact';
import './facts.css';

/** A name and its value. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values in two columns. Those without a value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return (
    <dl class="fact-list">
      {shown.map(([name, value]) => (
        <div key={name} class="fact-line">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
