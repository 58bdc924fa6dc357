import { describe, expect, test } from 'vitest';
import { type Check, type Exception, judge } from './judge.js';

const ok: Check = { id: 'first', status: 'SUCCESS' };
const bad: Check = { id: 'second', status: 'FAILURE', errorMessage: 'it is wrong' };
const exception: Exception = { run: 'r', scenario: 'a', check: 'second', status: 'FAILURE', reason: 'a test' };

const verdictOn = (checks: Record<string, Check[]>, exceptions: Exception[] = [], scored = true) =>
  judge({ name: 'r', scenarios: [{ scenario: 'a', scored }], checks: new Map(Object.entries(checks)) }, exceptions);

describe('a scenario', () => {
  test('passes if each of its checks succeeded', () => {
    expect(verdictOn({ a: [ok, { id: 'note', status: 'INFO' }] })).toMatchObject({
      passed: 1,
      faults: [],
      scored: { succeeded: 1, checks: 1 },
    });
  });

  test('fails with one failed check, also if the suite does not score it', () => {
    for (const scored of [true, false])
      expect(verdictOn({ a: [ok, bad] }, [], scored).faults).toEqual(['r a second: FAILURE: it is wrong']);
  });

  test('fails with a warning and with a skipped check', () => {
    for (const status of ['WARNING', 'SKIPPED']) expect(verdictOn({ a: [ok, { ...bad, status }] }).faults).toHaveLength(1);
  });

  test('that did not run, or ran no check, fails', () => {
    expect(verdictOn({}).faults).toEqual(['r a: no check succeeded']);
    expect(verdictOn({ a: [] }).faults).toEqual(['r a: no check succeeded']);
  });
});

describe('an exception', () => {
  test('lets one check fail, with this status only', () => {
    expect(verdictOn({ a: [ok, bad] }, [exception])).toMatchObject({ passed: 1, faults: [] });
    expect(verdictOn({ a: [ok, { ...bad, status: 'WARNING' }] }, [exception]).faults).toHaveLength(2);
  });

  test('that excepts nothing is stale', () => {
    expect(verdictOn({ a: [ok] }, [exception]).faults).toEqual(['r a: the exception for second is stale: remove it']);
  });

  test('of another run does not count', () => {
    expect(verdictOn({ a: [ok, bad] }, [{ ...exception, run: 'other' }]).faults).toHaveLength(1);
  });
});
