import { evolve, type PlacedEvent } from '@countersign/domain';
import { expect, test } from '@jest/globals';
import { placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '../testing/samples.js';
import { CallBoard } from '../waiting/call-board.js';
import type { Timed } from '../waiting/timer-wheel.js';
import type { CallRoom } from './call-room.js';
import { CallStream } from './call-stream.js';

/** Keeps the one wait that a stream has, and how long it asked for. */
class Waits {
  asked_ms: number[] = [];
  private waiting: Timed | undefined;
  add(item: Timed, delay_ms: number): number {
    this.asked_ms.push(delay_ms);
    this.waiting = item;
    return 0;
  }
  remove(): void {
    this.waiting = undefined;
  }
  over(): void {
    const item = this.waiting;
    this.waiting = undefined;
    item?.due();
  }
}

const call = sampleCall();
const facts: PlacedEvent[] = [
  placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested'),
  placed('policy_decided', sampleRuling({ call }), 'policy-decided'),
  placed('tool_executed', sampleEnd(), 'tool-executed'),
];
const stateAfter = (count: number) => {
  const [first, ...more] = facts.slice(0, count) as [PlacedEvent, ...PlacedEvent[]];
  return more.reduce((state, at) => evolve(state, at), evolve(undefined, first));
};

function open(view: { facts: number }) {
  const board = new CallBoard();
  const wheel = new Waits();
  const room = { board, wheel, refresh: () => board.learn(stateAfter(view.facts)) } as unknown as CallRoom;
  const said: string[] = [];
  const known = stateAfter(2);
  const out = { write: (text: string) => void said.push(text), end: () => void said.push('END') };
  const stream = new CallStream(room, out, { call_id: known.call_id, tenant_id: known.tenant_id, reader: { clearances: [] } }, 0);
  stream.open(known);
  return { board, wheel, said };
}

test('an end that passed between the reading and the watch is found within half a second, and the stream ends', () => {
  const view = { facts: 2 };
  const { board, wheel, said } = open(view);
  wheel.over(); // the view lags behind
  expect(said.join('')).not.toContain('succeeded');
  view.facts = 3;
  wheel.over();
  expect(wheel.asked_ms.slice(0, 2).reduce((sum, ms) => sum + ms)).toBeLessThan(500);
  expect(said.at(-2)).toContain('"status":"succeeded"');
  expect(said.at(-1)).toBe('END');
  expect(board.size).toBe(0);
});

test('while nothing happens the view is asked ever more seldom, and the reader hears a heartbeat every 15 s', () => {
  const { wheel, said } = open({ facts: 2 });
  const before = said.length;
  let waited_ms = 0;
  const heard_ms: number[] = [];
  for (let turn = 0; turn < 9; turn++) {
    const heard = said.length;
    waited_ms += wheel.asked_ms.at(-1) as number;
    wheel.over();
    if (said.length > heard) heard_ms.push(waited_ms);
  }
  expect(wheel.asked_ms).toEqual([...wheel.asked_ms].sort((a, b) => a - b));
  expect(heard_ms).toEqual([15_000, 30_000, 45_000]);
  expect(new Set(said.slice(before))).toEqual(new Set([': still here\n\n']));
});
