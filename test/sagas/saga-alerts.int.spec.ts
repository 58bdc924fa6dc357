import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Receiver } from '../journeys/receiver.js';
import { definition, SagaWorld, sequence, step } from './saga-world.js';

let world: SagaWorld;
let receiver: Receiver;
beforeAll(async () => {
  world = await SagaWorld.open();
  receiver = await Receiver.start();
  const body = { url: receiver.url, types: ['saga.*'] };
  expect((await world.send('POST', '/v1/webhooks', { body })).status).toBe(201);
}, 60_000);
afterAll(async () => {
  await world.close();
  await receiver.stop();
});

/** A saga whose first step took effect and whose second failed. */
async function failing(saga_id: string): Promise<void> {
  const root = sequence(step('book'), step('pay'));
  const { status } = await world.send('POST', '/v1/sagas', { body: { definition: definition(root), saga_id } });
  expect(status).toBe(202);
  await world.orchestrator.asks(saga_id, 'book');
  await world.orchestrator.ends(saga_id, 'book');
  await world.orchestrator.asks(saga_id, 'pay');
  await world.orchestrator.ends(saga_id, 'pay', 'failed');
}

async function received(count: number) {
  return (await receiver.received(count)).map(({ body }) => JSON.parse(body));
}

test('a failed compensation alerts once, with everything that a person needs and working links; its acceptance alerts of the end', async () => {
  await failing('trip-1');
  await world.orchestrator.failsToUndo('trip-1', 'book');
  const [alert] = await received(1);
  expect(alert.type).toBe('saga.compensation_failed');
  expect(alert.data).toMatchObject({
    saga_id: 'trip-1',
    ticket: 'compensation_failed',
    step_id: 'book',
    definition: 'trip',
    version: '1.0.0',
  });
  expect(alert.data).toMatchObject({ tool: 'undo', error: { code: 'UNKNOWN', message: expect.stringContaining('book') } });
  expect(alert.data.call).toMatch(/^http.*\/v1\/calls\/0-/);
  const accept = alert.data.actions.find(({ act }: { act: string }) => act === 'accept');
  const path = new URL(accept.href).pathname;
  expect((await world.send('POST', path, { body: { step_id: accept.step_id, reason: 'paid out' } })).body.status).toBe(
    'compensation_failed',
  );
  const [, end] = await received(2);
  expect([end.type, end.data.status, end.data.saga]).toEqual([
    'saga.compensation_failed',
    'compensation_failed',
    expect.stringContaining('trip-1'),
  ]);
  await sleep(500);
  expect(await receiver.received(0)).toHaveLength(2);
});

test('a call in doubt opens a ticket that alerts: resolve the call', async () => {
  const { status } = await world.send('POST', '/v1/sagas', { body: { definition: definition(step('book')), saga_id: 'trip-2' } });
  expect(status).toBe(202);
  await world.orchestrator.asks('trip-2', 'book');
  const call_id = world.orchestrator.state('trip-2')?.steps.get('book')?.runs[0]?.call_id as string;
  const end = { status: 'in_doubt', effect: 'unknown', error: null, effect_key: 'k', effect_attempt: 1, is_repaired: false } as const;
  await world.orchestrator.tell('trip-2', { kind: 'step_ended', call_id, ...end });
  const alert = (await received(3))[2];
  expect([alert.type, alert.data.ticket]).toEqual(['saga.ticket_opened', 'in_doubt']);
  expect(alert.data.actions).toMatchObject([{ act: 'resolve_call', href: expect.stringContaining(`/v1/calls/${call_id}/resolve`) }]);
});
