import { type CallState, statusOf } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '../testing/samples.js';
import { WatchedCalls } from './watched-calls.js';

const ruled = (more = {}) => placed('policy_decided', sampleRuling(more), 'policy-decided');
const ended = () => placed('tool_executed', sampleEnd(), 'tool-executed');

class Listener {
  readonly seen: string[] = [];
  last: CallState | undefined;
  changed(state: CallState): void {
    this.seen.push(statusOf(state));
    this.last = state;
  }
}

describe('the watched calls', () => {
  test('a call counts for its tenant from admission to its end, once, with or without listeners', () => {
    const watchedCalls = new WatchedCalls();
    watchedCalls.admit(CALL_ID, 'acme', undefined, undefined);
    expect(watchedCalls.inFlight('acme')).toBe(1);
    watchedCalls.apply(ruled());
    expect(watchedCalls.inFlight('acme')).toBe(1);
    watchedCalls.apply(ended());
    watchedCalls.apply(ended());
    expect(watchedCalls.inFlight('acme')).toBe(0);
    expect(watchedCalls.size).toBe(0);
  });

  test.each([
    ['a denial by rule', ruled({ effect: 'deny' })],
    [
      'a denial by a person',
      placed(
        'approval_denied',
        {
          meta: sampleMeta(),
          approval_id: 'a',
          revision: 1,
          reason: null,
          by: { kind: 'user', id: 'ann', roles: [] },
          source: { topic: 'approval-voted', offset: 0 },
          call: sampleCall(),
        },
        'approval-granted',
      ),
    ],
  ])('%s: the call no longer counts', (_name, event) => {
    const watchedCalls = new WatchedCalls();
    watchedCalls.admit(CALL_ID, 'acme', undefined, undefined);
    watchedCalls.apply(event);
    expect(watchedCalls.inFlight('acme')).toBe(0);
  });

  test('listeners receive every fact until they leave', () => {
    const watchedCalls = new WatchedCalls();
    const stays = new Listener();
    const leaves = new Listener();
    watchedCalls.watch(CALL_ID, 'acme', stays);
    watchedCalls.watch(CALL_ID, 'acme', leaves);
    watchedCalls.apply(ruled());
    watchedCalls.unwatch(CALL_ID, leaves);
    watchedCalls.apply(ended());
    expect(stays.seen).toEqual(['running', 'succeeded']);
    expect(leaves.seen).toEqual(['running']);
    watchedCalls.unwatch(CALL_ID, stays);
    expect(watchedCalls.size).toBe(0);
  });

  test('a result that overtakes its ruling loses neither fact', () => {
    const watchedCalls = new WatchedCalls();
    const listener = new Listener();
    watchedCalls.watch(CALL_ID, 'acme', listener);
    watchedCalls.apply(ended());
    watchedCalls.apply(ruled());
    expect(listener.last?.ruling?.decision_id).toBe('dec-1');
    expect(listener.seen).toEqual(['succeeded', 'succeeded']);
  });

  test("an event that names another tenant's call changes nothing", () => {
    const watchedCalls = new WatchedCalls();
    const listener = new Listener();
    watchedCalls.watch(CALL_ID, 'other', listener);
    watchedCalls.apply(ended());
    expect(listener.seen).toEqual([]);
  });

  test('a read of the view fills in facts that were missed', () => {
    const watchedCalls = new WatchedCalls();
    const other = new WatchedCalls();
    const known = new Listener();
    other.watch(CALL_ID, 'acme', known);
    other.apply(ruled());
    other.apply(ended());
    const listener = new Listener();
    watchedCalls.watch(CALL_ID, 'acme', listener);
    watchedCalls.learn(known.last as CallState);
    expect(listener.seen).toEqual(['succeeded']);
  });

  test('a withdrawn call no longer counts', () => {
    const watchedCalls = new WatchedCalls();
    watchedCalls.admit(CALL_ID, 'acme', undefined, undefined);
    watchedCalls.withdraw(CALL_ID);
    expect([watchedCalls.inFlight('acme'), watchedCalls.size]).toEqual([0, 0]);
  });
});
