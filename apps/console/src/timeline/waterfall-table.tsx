import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { Link } from '../navigation/link.js';
import { PHASES, type Phase, type Span } from './call-times.js';
import { offsetText } from './time-scale.js';
import type { WaterfallRow } from './waterfall-row.js';

const SHOWN_MAX = 500;

/** The lengths of the bars in numbers. */
export function WaterfallTable({ label, rows, from_ms }: { label: string; rows: readonly WaterfallRow[]; from_ms: number }) {
  const phases = (Object.keys(PHASES) as Phase[]).filter((phase) => rows.some(({ spans }) => spans.some((span) => span.phase === phase)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
    <div class="waterfall-box waterfall-numbers" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Begins after
            </th>
            {phases.map((phase) => (
              <th key={phase} scope="col" class="number">
                {PHASES[phase]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.href ? <Link href={row.href}>{<Name row={row} />}</Link> : <Name row={row} />}</th>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td class="number">{row.spans[0] ? offsetText(row.spans[0].from_ms - from_ms) : ''}</td>
              {phases.map((phase) => (
                <td key={phase} class="number">
                  {lengthOf(row.spans, phase)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN_MAX && <p class="soft">The first {SHOWN_MAX} calls. Filter the list of calls to see others.</p>}
    </div>
  );
}

const Name = ({ row }: { row: WaterfallRow }) => <InertText text={row.name} characters_max={80} />;

function lengthOf(spans: readonly Span[], phase: Phase): string {
  const lengths = spans.flatMap((span) => (span.phase === phase ? [span.to_ms - span.from_ms] : []));
  return lengths.length === 0 ? '' : offsetText(lengths.reduce((sum, each) => sum + each, 0));
}
