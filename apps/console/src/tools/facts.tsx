import type { ComponentChildren } from 'preact';

/** Names and values in two columns. Entries without a value are left out. */
export function Facts({ entries }: { entries: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {entries
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name} class="facts-line">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
