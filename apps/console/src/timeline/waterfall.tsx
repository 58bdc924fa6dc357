import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { statusOf } from '../elements/status.js';
import { Link } from '../navigation/link.js';
import { PHASES, type Phase } from './call-times.js';

import { rowsInView } from './rows-in-view.js';
import { type TimeScale, ticksOf } from './time-scale.js';
import { spanWords, type WaterfallRow } from './waterfall-row.js';
import { scaleOf } from './waterfall-scale.js';
import { WaterfallTable } from './waterfall-table.js';
import './waterfall.css';

const ROW_PX = 30;
const ZOOMS = [1, 2, 5, 10, 25, 100];
const TICKS_PER_ZOOM = 6;

/** Calls on one time axis. A table says the same without bars. */
export function Waterfall({ label, rows, height_px = 420 }: { label: string; rows: readonly WaterfallRow[]; height_px?: number }) {
  const [zoom, setZoom] = useState(0);
  const [is_table, setTable] = useState(false);
  const scale = useMemo(() => scaleOf(rows), [rows]);
  const factor = ZOOMS[zoom] ?? 1;
  return (
    <div class="waterfall">
      <div class="row row-spread waterfall-tools">
        <Legend rows={rows} />
        <div class="row">
          {!is_table && (
            <>
              <Button
                look="quiet"
                icon="minus"
                aria-label="Show more time"
                aria-disabled={zoom === 0}
                onClick={() => setZoom(Math.max(0, zoom - 1))}
              />
              <Button
                look="quiet"
                icon="plus"
                aria-label="Show less time, larger"
                onClick={() => setZoom(Math.min(ZOOMS.length - 1, zoom + 1))}
              />
            </>
          )}
          <Button look="quiet" aria-pressed={is_table} onClick={() => setTable(!is_table)}>
            {is_table ? 'Show bars' : 'Show as table'}
          </Button>
        </div>
      </div>
      {is_table ? (
        <WaterfallTable label={label} rows={rows} from_ms={scale.from_ms} />
      ) : (
        <Bars {...{ label, rows, scale, factor, height_px }} />
      )}
    </div>
  );
}

interface BarsProps {
  label: string;
  rows: readonly WaterfallRow[];
  scale: TimeScale;
  factor: number;
  height_px: number;
}

function Bars({ label, rows, scale, factor, height_px }: BarsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolled_px, setScrolled] = useState(0);
  const { from, to } = rowsInView(rows.length, ROW_PX, scrolled_px, height_px);
  useLayoutEffect(() => setScrolled(box.current?.scrollTop ?? 0), [rows.length]);
  return (
    <div
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
      class="waterfall-box"
      style={{ maxHeight: `${height_px}px`, '--zoom': String(factor) }}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
    >
      <Axis scale={scale} factor={factor} />
      <ul class="waterfall-rows" style={{ height: `${rows.length * ROW_PX}px` }}>
        {rows.slice(from, to).map((row, at) => (
          <Row key={row.key} row={row} scale={scale} top_px={(from + at) * ROW_PX} />
        ))}
      </ul>
    </div>
  );
}

function Axis({ scale, factor }: { scale: TimeScale; factor: number }) {
  return (
    <div class="waterfall-axis" aria-hidden="true">
      <span class="waterfall-name" />
      <span class="waterfall-track">
        {ticksOf(scale, TICKS_PER_ZOOM * factor)
          .filter(({ at_ms }) => scale.share(at_ms) < 1 - 0.1 / factor)
          .map(({ at_ms, label }) => (
            <span key={at_ms} class="waterfall-tick" style={{ left: percent(scale.share(at_ms)) }}>
              {label}
            </span>
          ))}
      </span>
    </div>
  );
}

function Row({ row, scale, top_px }: { row: WaterfallRow; scale: TimeScale; top_px: number }) {
  const words = spanWords(row.spans);
  const content = (
    <>
      <span class={`waterfall-name tone-${statusOf(row.status).tone}`}>
        <span class="status-dot" aria-hidden="true" />
        <span class="waterfall-label">
          <InertText text={row.name} characters_max={80} />
        </span>
        <span class="visually-hidden">
          {statusOf(row.status).word}, {row.mark ?? ''} {words}
        </span>
      </span>
      <span class="waterfall-track" aria-hidden="true">
        {row.spans.map(({ phase, from_ms, to_ms, is_open }) => (
          <span
            key={`${phase}${from_ms}`}
            class={`bar bar-${phase} ${is_open ? 'bar-open' : ''}`}
            style={{ left: percent(scale.share(from_ms)), width: percent(scale.share(to_ms) - scale.share(from_ms)) }}
          />
        ))}
      </span>
    </>
  );
  return (
    <li class={`waterfall-row ${row.mark ? 'waterfall-marked' : ''}`} style={{ top: `${top_px}px` }} title={words}>
      {row.href ? (
        <Link href={row.href} class="waterfall-line">
          {content}
        </Link>
      ) : (
        <div class="waterfall-line">{content}</div>
      )}
    </li>
  );
}

function Legend({ rows }: { rows: readonly WaterfallRow[] }) {
  const phases = new Set(rows.flatMap(({ spans }) => spans.map(({ phase }) => phase)));
  return (
    <ul class="row legend" aria-label="Colours">
      {(Object.keys(PHASES) as Phase[])
        .filter((phase) => phases.has(phase))
        .map((phase) => (
          <li key={phase} class="legend-item">
            <span class={`bar bar-${phase}`} aria-hidden="true" />
            {PHASES[phase]}
          </li>
        ))}
    </ul>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;
