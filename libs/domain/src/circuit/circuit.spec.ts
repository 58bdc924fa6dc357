import { describe, expect, test } from 'vitest';
import { beganBefore, decideCircuit } from './decide.js';
import { CIRCUIT_DEFAULTS } from './settings.js';
import { type Circuit, circuitStateAt } from './state.js';
import { slotAt } from './window.js';

const SECOND = 1_000;
const START_MS = 1_000 * 60 * SECOND;

/** A circuit and a clock. `given` outcomes at a time of seconds since the start. */
class TimedCircuit {
  circuit: Circuit | undefined;
  transition: string | undefined;
  now_ms = START_MS;

  at(seconds: number): this {
    this.now_ms = START_MS + seconds * SECOND;
    return this;
  }

  when(succeeded: number, failed: number): this {
    const counted = succeeded + failed === 0 ? [] : [{ slot: slotAt(this.now_ms, CIRCUIT_DEFAULTS), succeeded, failed }];
    const decision = decideCircuit(this.circuit, counted, this.now_ms, CIRCUIT_DEFAULTS);
    this.circuit = decision.circuit;
    this.transition = decision.transition;
    return this;
  }

  get result(): [state: string, transition: string | undefined] {
    return [circuitStateAt(this.circuit, this.now_ms, CIRCUIT_DEFAULTS), this.transition];
  }
}
const given = () => new TimedCircuit();
const CONFIRMED_S = CIRCUIT_DEFAULTS.confirm_ms / SECOND;
/** Open since second 0. */
const opened = () => given().at(-CONFIRMED_S).when(0, 10).at(0).when(0, 0);

describe('a closed circuit', () => {
  test('opens when half of at least ten outcomes of the last minute failed', () => {
    const confirmed = (succeeded: number, failed: number) => given().when(succeeded, failed).at(CONFIRMED_S).when(0, 0).result;
    expect(confirmed(5, 5)).toEqual(['open', 'opened']);
    expect(confirmed(6, 5)).toEqual(['closed', undefined]);
    expect(confirmed(0, 9)).toEqual(['closed', undefined]);
  });

  test('opens no earlier than 2.5 s after its first failure was reported, and not if others report that the tool works', () => {
    expect(given().when(0, 100).result).toEqual(['closed', undefined]);
    expect(given().when(0, 100).at(2.4).when(0, 100).result).toEqual(['closed', undefined]);
    expect(given().when(0, 100).at(2.5).when(0, 0).result).toEqual(['open', 'opened']);
    expect(given().when(0, 100).at(2).when(101, 0).at(3).when(0, 0).result).toEqual(['closed', undefined]);
  });

  test('adds outcomes of several reports, and forgets those that are older than a minute', () => {
    expect(given().when(0, 5).at(30).when(0, 5).result).toEqual(['open', 'opened']);
    expect(given().when(0, 5).at(61).when(0, 5).result).toEqual(['closed', undefined]);
  });

  test('has no record without a failure in its window', () => {
    expect(given().when(100, 0).circuit).toBeUndefined();
    expect(given().when(3, 1).circuit).toBeDefined();
    expect(given().when(3, 1).at(61).when(0, 0).circuit).toBeUndefined();
  });
});

describe('an open circuit', () => {
  test('is half-open after 30 s, without a write', () => {
    expect(opened().at(29).result[0]).toBe('open');
    expect(opened().at(30).result[0]).toBe('half_open');
  });

  test('takes no notice of further failures', () => {
    const timed = opened().at(10).when(0, 50);
    expect([timed.result, timed.circuit?.open_until_ms]).toEqual([['open', undefined], START_MS + 30 * SECOND]);
  });

  test('closes early after ten outcomes without a failure, from calls that no rule stops', () => {
    expect(opened().at(10).when(9, 0).result).toEqual(['open', undefined]);
    expect(opened().at(10).when(9, 0).at(12).when(1, 0).result).toEqual(['closed', 'closed']);
    expect(opened().at(10).when(20, 1).result).toEqual(['open', undefined]);
  });

  test('ignores calls that began before it opened', () => {
    expect(beganBefore(opened().circuit, START_MS - 1)).toBe(true);
    expect(beganBefore(opened().circuit, START_MS)).toBe(false);
    expect([beganBefore(undefined, 0), beganBefore(given().when(1, 1).circuit, 0)]).toEqual([false, false]);
  });
});

test('outcomes from before the opening that are reported late neither close a circuit nor open it again', () => {
  const late = (at_s: number, succeeded: number, failed: number) => {
    const counted = [{ slot: slotAt(START_MS - 12 * SECOND, CIRCUIT_DEFAULTS), succeeded, failed }];
    return decideCircuit(opened().circuit, counted, START_MS + at_s * SECOND, CIRCUIT_DEFAULTS).transition;
  };
  expect([late(5, 50, 0), late(31, 1, 0), late(31, 0, 1)]).toEqual([undefined, undefined, undefined]);
});

describe('a half-open circuit', () => {
  const half = () => opened().at(30);

  test('closes on a success, and its record goes', () => {
    const timed = half().when(1, 0);
    expect([timed.result, timed.circuit]).toEqual([['closed', 'closed'], undefined]);
  });

  test('opens again on a failure, twice as long each time, at most ten minutes', () => {
    const timed = half().when(1, 1);
    expect([timed.result, timed.circuit?.open_until_ms]).toEqual([['open', 'reopened'], START_MS + 90 * SECOND]);
    const lasts: number[] = [];
    for (let opening = 0; opening < 40; opening++) {
      timed.now_ms = timed.circuit?.open_until_ms as number;
      timed.when(0, 1);
      lasts.push(((timed.circuit?.open_until_ms as number) - timed.now_ms) / SECOND);
    }
    expect(lasts.slice(0, 5)).toEqual([120, 240, 480, 600, 600]);
    expect(lasts.at(-1)).toBe(600);
  });

  test('counts as closed after ten minutes without an outcome, and is then forgotten', () => {
    expect(half().at(629).result[0]).toBe('half_open');
    const timed = half().at(630);
    expect(timed.result[0]).toBe('closed');
    expect([timed.when(0, 0).result, timed.circuit]).toEqual([['closed', 'closed'], undefined]);
    expect(half().at(700).when(0, 2).result).toEqual(['closed', 'closed']);
    expect(half().at(700).when(0, 10).at(703).when(0, 0).result).toEqual(['open', 'opened']);
  });
});
