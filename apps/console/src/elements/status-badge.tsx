import { statusOf, type Tone } from './status.js';
import './status-badge.css';

/** A status as a coloured dot and a word. `word` and `tone` replace the usual ones. */
export function StatusBadge({ status, word, tone }: { status: string; word?: string; tone?: Tone }) {
  const known = statusOf(status);
  return (
    <span class={`status tone-${tone ?? known.tone}`}>
      <span class="status-dot" aria-hidden="true" />
      {word ?? known.word}
    </span>
  );
}

/** A short label with a coloured ground: `irreversible`, `v2.1.0`, a role. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return <span class={`tag tone-${tone}`}>{children}</span>;
}
