import type { Tone } from '../elements/status.js';
import { StatusBadge } from '../elements/status-badge.js';

/** How much of something there is. `count` is undefined while it is loaded, and where the roles do not show it. */
export interface Tile {
  href: string;
  title: string;
  count: number | undefined;
  has_more: boolean;
  /** Of a count above zero. */
  tone: Tone;
}

/** What needs an operator, at a glance: each leads to its part of the page. */
export function SummaryTiles({ tiles }: { tiles: readonly Tile[] }) {
  return (
    <ul class="health-tiles" aria-label="Needs attention">
      {tiles.map(({ href, title, count, has_more, tone }) => (
        <li key={href}>
          <a class="health-tile" href={href}>
            <span class="health-count">{count === undefined ? '–' : `${count}${has_more ? '+' : ''}`}</span>
            <StatusBadge status={title} word={title} tone={count === undefined ? 'neutral' : count > 0 ? tone : 'good'} />
          </a>
        </li>
      ))}
    </ul>
  );
}
