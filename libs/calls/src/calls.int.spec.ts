import { statusOf } from '@countersign/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallFollower } from './following/call-subscription.js';
import { Refusal } from './refusal.js';
import type { CallAnswer } from './submitting/answer-writer.js';
import { CallsOnALog, callerOf } from './testing/calls-on-a-log.js';

let world: CallsOnALog;
const agent = callerOf('agent-1');

beforeAll(async () => {
  world = await CallsOnALog.open(['write_note', 'ask_first', 'never']);
});
afterAll(() => world.close());

const note = (tool: string, key: string) => ({ tool, inputs: { path: key, text: 'x' } });

/** Submits a call that is expected to be accepted. */
async function taken(tool: string, key: string, wait_ms = 10_000): Promise<CallAnswer> {
  const answer = await world.submit(agent, note(tool, key), wait_ms);
  if (answer instanceof Refusal) throw new Error(`${answer.kind}: ${answer.detail}`);
  return answer;
}

/** A follower that stores each notification. */
class Reported implements CallFollower {
  readonly statuses: string[] = [];
  readonly ids: number[] = [];
  readonly over: Promise<void>;
  private settle!: () => void;
  constructor() {
    this.over = new Promise((settle) => {
      this.settle = settle;
    });
  }
  status: CallFollower['status'] = (snapshot) => {
    const envelope = snapshot.text(agent, (_id, text) => text) as string;
    this.statuses.push(JSON.parse(envelope).status);
    this.ids.push(snapshot.id);
  };
  progressed(): void {}
  ended(): void {
    this.settle();
  }
}

test('a submitted call is answered with its envelope, and its status is read from the views', async () => {
  const first = await taken('write_note', 'a');
  expect(first.ended).toBe(true);
  expect(JSON.parse(first.envelope)).toMatchObject({ status: 'succeeded', principal: { id: 'agent-1' }, input: { path: 'a' } });
  expect(first.positions.map(({ topic }) => topic)).toEqual(['tool-call-requested', 'tool-executed']);
  const status = await world.assembled.calls.status({
    caller: agent,
    call_id: first.state.call_id,
    seen: { positions: first.positions, wait_ms: 1000 },
  });
  expect(status).toMatchObject({ was_sealed: false, envelope: expect.stringContaining('"status":"succeeded"') });
});

test('a refusal is a value of a closed kind without any HTTP details', async () => {
  expect(await world.submit(agent, { tool: 'nothing_like_it' }, 0)).toMatchObject({
    kind: 'unknown-tool',
    more: { nearest: expect.any(Array) },
  });
  expect(await world.submit(agent, { tool: 'write_note', inputs: { path: 'a' } }, 0)).toMatchObject({
    kind: 'invalid-inputs',
    more: { layer: 'input', issues: [{ path: '/text', code: 'required' }] },
  });
  const acting = await world.submit(agent, { ...note('write_note', 'b'), on_behalf_of: 'maria' }, 0);
  expect(acting).toMatchObject({ kind: 'forbidden', access: 'request_refused' });
});

test('a call that waits for a person can be followed and awaited until it is cancelled', async () => {
  const { calls } = world.assembled;
  const pending = await taken('ask_first', 'c');
  expect([pending.ended, statusOf(pending.state)]).toEqual([false, 'pending_approval']);
  const name = { caller: agent, call_id: pending.state.call_id, seen: { positions: pending.positions, wait_ms: 1000 } };
  const known = await calls.find(name);
  if (known instanceof Refusal) throw new Error(known.detail);
  const listener = new Reported();
  const leave = calls.follow(known, 0, listener);
  expect(await calls.wait(name, 50)).toMatchObject({ envelope: expect.stringContaining('"status":"pending_approval"') });
  const waiting = calls.wait(name, 20_000);
  expect(await calls.cancel({ ...name, caller: callerOf('agent-2') }, undefined)).toMatchObject({ kind: 'forbidden' });
  const cancelled = await calls.cancel(name, 'not needed');
  expect(cancelled).toMatchObject({ reached: true, envelope: expect.stringContaining('"status":"cancelled"') });
  await listener.over;
  leave();
  expect(listener.statuses[0]).toBe('pending_approval');
  expect(listener.statuses.at(-1)).toBe('cancelled');
  expect(listener.ids).toEqual([...listener.ids].sort((a, b) => a - b));
  expect(await waiting).toMatchObject({ envelope: expect.stringContaining('"status":"cancelled"') });
  expect(await calls.cancel(name, undefined)).toMatchObject({ kind: 'conflict', detail: 'the call has ended: cancelled' });
});

test('a call that its caller gives up stops at once if the transport wants that, and is known as soon as it is accepted', async () => {
  const { calls } = world.assembled;
  const { state } = await taken('ask_first', 'given-up');
  const name = { caller: agent, call_id: state.call_id };
  await calls.status({ ...name, seen: { positions: [], wait_ms: 1000 } });
  expect(await calls.abandon(name, 'left', 'reads')).toBeUndefined();
  expect(await calls.abandon({ ...name, call_id: 'nothing' }, 'left', 'reads')).toMatchObject({ kind: 'not-found' });
  expect(await calls.abandon(name, 'left', 'reads_and_unfired_writes')).toMatchObject({ reached: true });
  expect(await calls.abandon(name, 'left', 'reads_and_unfired_writes')).toBeUndefined();
});

test('a call of another tenant is refused like an unknown call; only the record of refusals tells them apart', async () => {
  const { calls } = world.assembled;
  const { state, positions } = await taken('write_note', 'd');
  await calls.status({ caller: agent, call_id: state.call_id, seen: { positions: positions, wait_ms: 1000 } });
  const stranger = callerOf('agent-1', { tenant_id: 'globex' });
  const other = await calls.status({ caller: stranger, call_id: state.call_id });
  const none = await calls.status({ caller: agent, call_id: `${state.call_id.slice(0, -12)}000000000000` });
  expect(other).toMatchObject({ kind: 'not-found', access: 'cross_tenant' });
  expect(none).toMatchObject({ kind: 'not-found', access: undefined });
  expect([(other as Refusal).detail, (other as Refusal).more]).toEqual([(none as Refusal).detail, (none as Refusal).more]);
});

test('a caller who cannot wait gets the ruling, and a later wait returns the end of the call', async () => {
  const quick = await taken('write_note', 'e', 0);
  const name = { caller: agent, call_id: quick.state.call_id, seen: { positions: quick.positions, wait_ms: 1000 } };
  expect(await world.assembled.calls.wait(name, 20_000)).toMatchObject({ envelope: expect.stringContaining('"status":"succeeded"') });
});
