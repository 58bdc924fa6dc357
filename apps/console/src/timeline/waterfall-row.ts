import { PHASES, type Span } from './call-times.js';
import { offsetText } from './time-scale.js';

/** One line of a waterfall: a call, or one course of it. */
export interface WaterfallRow {
  key: string;
  name: string;
  href?: string;
  status: string;
  spans: readonly Span[];
  /** Set: the line is marked, and why. */
  mark?: string | undefined;
}

/** `Deciding 20 ms, Waiting for a person 3 min`. */
export const spanWords = (spans: readonly Span[]): string =>
  spans.map(({ phase, from_ms, to_ms }) => `${PHASES[phase]} ${offsetText(to_ms - from_ms)}`).join(', ');
