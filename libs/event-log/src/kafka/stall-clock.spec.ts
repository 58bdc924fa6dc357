import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Sighting, StallClock, type StallStep } from './stall-clock.js';

const STALL_MS = 60;

/** One sighting every 10 ms; each stuck one has made no progress since the last one that was not stuck. */
function steps(sightings: readonly Sighting[]): StallStep[] {
  const clock = new StallClock(STALL_MS);
  let since_ms = 0;
  return sightings.map((sighting, nth) => {
    const now_ms = nth * 10;
    if (sighting === 'moving') since_ms = now_ms;
    return clock.see(sighting, now_ms, since_ms);
  });
}

const times = (count: number, sighting: Sighting): Sighting[] => Array.from({ length: count }, () => sighting);

describe('a watched subscription', () => {
  test('is rebuilt after the time without progress, and fails after the same time again', () => {
    const seen = steps(['moving', ...times(12, 'stuck')]);
    expect(seen.indexOf('rebuild')).toBe(6);
    expect(seen.indexOf('fail')).toBe(12);
    expect(seen.filter((step) => step !== 'none')).toEqual(['rebuild', 'fail']);
  });

  test('starts over once it makes progress', () => {
    const seen = steps(['moving', ...times(7, 'stuck'), 'moving', ...times(7, 'stuck')]);
    expect(seen.filter((step) => step !== 'none')).toEqual(['rebuild', 'rebuild']);
  });

  test('gets the whole time again when Kafka responds again, before a rebuild and after it', () => {
    const unavailable = times(50, 'unknown');
    expect(steps(['moving', ...times(5, 'stuck'), ...unavailable, ...times(5, 'stuck')])).not.toContain('rebuild');
    const seen = steps(['moving', ...times(6, 'stuck'), ...unavailable, ...times(5, 'stuck')]);
    expect(seen.filter((step) => step !== 'none')).toEqual(['rebuild']);
  });

  test('never fails without an earlier rebuild, and never within the time after a sighting that was not stuck', () => {
    const sightings = fc.array(fc.constantFrom<Sighting>('moving', 'stuck', 'stuck', 'stuck', 'unknown'), { maxLength: 100 });
    fc.assert(
      fc.property(sightings, (seen) => {
        const taken = steps(seen);
        for (const [nth, step] of taken.entries()) {
          if (step === 'none') continue;
          expect(seen.slice(Math.max(0, nth - STALL_MS / 10 + 1), nth + 1)).not.toContain('unknown');
          if (step === 'fail') expect(taken.slice(seen.slice(0, nth).lastIndexOf('moving') + 1, nth)).toContain('rebuild');
        }
      }),
    );
  });
});
