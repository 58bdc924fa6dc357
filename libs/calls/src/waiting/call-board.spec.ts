import { type CallState, statusOf } from '@countersign/domain';
import { describe, expect, test } from '@jest/globals';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '../testing/samples.js';
import { CallBoard } from './call-board.js';

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

describe('the board', () => {
  test('a call counts for its tenant from admission to its end, once, with or without listeners', () => {
    const board = new CallBoard();
    board.admit(CALL_ID, 'acme', undefined, undefined);
    expect(board.inFlight('acme')).toBe(1);
    board.apply(ruled());
    expect(board.inFlight('acme')).toBe(1);
    board.apply(ended());
    board.apply(ended());
    expect(board.inFlight('acme')).toBe(0);
    expect(board.size).toBe(0);
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
  ])('%s ends the counting', (_name, event) => {
    const board = new CallBoard();
    board.admit(CALL_ID, 'acme', undefined, undefined);
    board.apply(event);
    expect(board.inFlight('acme')).toBe(0);
  });

  test('listeners hear every fact until they leave', () => {
    const board = new CallBoard();
    const stays = new Listener();
    const leaves = new Listener();
    board.watch(CALL_ID, 'acme', stays);
    board.watch(CALL_ID, 'acme', leaves);
    board.apply(ruled());
    board.unwatch(CALL_ID, leaves);
    board.apply(ended());
    expect(stays.seen).toEqual(['running', 'succeeded']);
    expect(leaves.seen).toEqual(['running']);
    board.unwatch(CALL_ID, stays);
    expect(board.size).toBe(0);
  });

  test('a result that overtakes its ruling loses neither', () => {
    const board = new CallBoard();
    const listener = new Listener();
    board.watch(CALL_ID, 'acme', listener);
    board.apply(ended());
    board.apply(ruled());
    expect(listener.last?.ruling?.decision_id).toBe('dec-1');
    expect(listener.seen).toEqual(['succeeded', 'succeeded']);
  });

  test("an event that names another tenant's call changes nothing", () => {
    const board = new CallBoard();
    const listener = new Listener();
    board.watch(CALL_ID, 'other', listener);
    board.apply(ended());
    expect(listener.seen).toEqual([]);
  });

  test('a reading from the view fills what was not seen', () => {
    const board = new CallBoard();
    const other = new CallBoard();
    const known = new Listener();
    other.watch(CALL_ID, 'acme', known);
    other.apply(ruled());
    other.apply(ended());
    const listener = new Listener();
    board.watch(CALL_ID, 'acme', listener);
    board.learn(known.last as CallState);
    expect(listener.seen).toEqual(['succeeded']);
  });

  test('a withdrawn call counts no more', () => {
    const board = new CallBoard();
    board.admit(CALL_ID, 'acme', undefined, undefined);
    board.withdraw(CALL_ID);
    expect([board.inFlight('acme'), board.size]).toEqual([0, 0]);
  });
});
