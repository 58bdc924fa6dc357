import { setTimeout as sleep } from 'node:timers/promises';
import { Seeded } from '@countersign/domain/testing/lanes/seeded';
import { expect } from 'vitest';
import type { FaultSwitch } from '../tools/ledger/ledger.js';
import type { Envelope } from './api.js';
import type { KillablePlatform, KillableService } from './killable-platform.js';
import { declinedOrderSaga, type OrderInputs, orderSagas, unattendedOrderSaga } from './order-sagas.js';
import { SAGA_ENDS, type Saga, type SagaJourneyWorld } from './saga-world.js';

const TOOLS = ['ledger_reserve', 'ledger_charge', 'ledger_ship'] as const;

interface Order {
  saga_id: string;
  inputs: OrderInputs;
}

/**
 * Sagas of orders, most with a fault at one of their tools, while services are killed one after another. A person does what tickets ask for, by what
 * the ledger shows. @param seed decides the faults
 */
export async function saveOrdersInStorm(
  at: SagaJourneyWorld,
  killable: KillablePlatform,
  { count, seed, kills }: { count: number; seed: number; kills: readonly KillableService[] },
) {
  for (const definition of orderSagas) await at.publish(definition);
  const random = new Seeded(seed);
  const orders: Order[] = [];
  for (let n = 0; n < count; n++) orders.push(await begin(at, random));
  for (const service of kills) await killable.kill(service);
  const ended = await allEnded(at, orders);
  for (const [n, saga] of ended.entries()) await expectSettled(at, orders[n] as Order, saga);
  expect(await at.ledger.faults()).toEqual([]);
  return ended.map(({ status }) => status);
}

async function begin(at: SagaJourneyWorld, random: Seeded): Promise<Order> {
  const inputs = await at.orderInputs();
  const fault = faultOf(random, inputs.order_id);
  if (fault) await at.ledger.switchOn(fault);
  const { name, version } = random.oneIn(3) ? declinedOrderSaga : unattendedOrderSaga;
  const { status, body } = await at.startSaga({ definition: { name, version }, inputs }, { key: inputs.order_id });
  expect(status).toBeLessThan(300);
  return { saga_id: body.saga_id, inputs };
}

function faultOf(random: Seeded, order_id: string): FaultSwitch | undefined {
  if (random.oneIn(5)) return undefined;
  const tool = TOOLS[random.below(3)] as string;
  const action = tool === 'ledger_reserve' && random.oneIn(2) ? 'compensate' : 'run';
  const moment = random.oneIn(2) ? 'before' : 'after';
  const fault = (['lose', 'crash', 'delay', moment === 'before' ? 'refuse' : 'delay'] as const)[random.below(4)] ?? 'delay';
  return { tool, action, moment, fault, delay_ms: 2_000, inputs: { order_id } };
}

async function allEnded(at: SagaJourneyWorld, orders: readonly Order[], timeout_ms = 300_000): Promise<Saga[]> {
  for (const end = performance.now() + timeout_ms; ; await sleep(500)) {
    const sagas: Saga[] = [];
    for (const { saga_id } of orders) sagas.push((await at.readSaga(saga_id)).body);
    const open = sagas.filter((saga) => !SAGA_ENDS.includes(saga.status) || saga.tickets?.some(({ closed_at }) => closed_at === null));
    if (open.length === 0) return sagas;
    if (performance.now() > end) throw new Error(`${open.length} of ${sagas.length} sagas have not ended: ${JSON.stringify(open)}`);
    for (const saga of open) await actOnTickets(at, saga);
  }
}

/** What a person does: a doubt is resolved by what the ledger shows, everything else is tried again. */
async function actOnTickets(at: SagaJourneyWorld, { saga_id, tickets = [], steps = [] }: Saga): Promise<void> {
  for (const { ticket, closed_at, step_id, call_id } of tickets) {
    if (closed_at !== null || step_id === null) continue;
    const undo = steps.find((step) => step.call_id === call_id)?.compensation;
    if (ticket === 'in_doubt') await resolve(at, call_id as string);
    else if (undo?.status === 'unconfirmed' && undo.call_id) await resolveUndo(at, { saga_id, step_id }, call_id as string, undo.call_id);
    else await at.control(saga_id, 'retry', { step_id });
  }
}

/**
 * An undo in doubt is in doubt again however often it is tried, and one that nobody could verify stays so: the ledger shows whether its effect is
 * still there.
 */
async function resolveUndo(
  at: SagaJourneyWorld,
  of: { saga_id: string; step_id: string },
  call_id: string,
  undo_call_id: string,
): Promise<void> {
  const { body: forward } = await at.olga.request<Envelope>('GET', `/v1/calls/${call_id}`);
  const { body: undo } = await at.olga.request<Envelope>('GET', `/v1/calls/${undo_call_id}`);
  // The tool of the effect marks it as undone; a compensation by another call has an effect of its own.
  const isUndone = (await at.ledger.effects()).some(
    ({ key, undone_by }) => (key === forward.idempotency_key && undone_by !== null) || key === undo.idempotency_key,
  );
  const reason = 'seen in the ledger';
  if (undo.status === 'in_doubt') {
    const resolution = isUndone ? 'happened' : 'did_not_happen';
    await at.olga.request('POST', `/v1/calls/${undo.original_call_id ?? undo_call_id}/resolve`, { resolution, reason });
  } else await at.control(of.saga_id, isUndone ? 'done-by-hand' : 'retry', { step_id: of.step_id, ...(isUndone ? { reason } : {}) });
}

async function resolve(at: SagaJourneyWorld, call_id: string): Promise<void> {
  const { body } = await at.olga.request<Envelope>('GET', `/v1/calls/${call_id}`);
  if (body.status !== 'in_doubt') return;
  const [row] = (await at.ledger.effects()).filter(({ key }) => key === body.idempotency_key);
  const output = { shipment_id: row?.key, order_id: row?.order_id };
  const resolution = row ? { resolution: 'happened', output } : { resolution: 'did_not_happen' };
  await at.olga.request('POST', `/v1/calls/${call_id}/resolve`, { ...resolution, reason: 'seen in the ledger' });
}

/** A completed order has everything, any other nothing. */
async function expectSettled(at: SagaJourneyWorld, { inputs }: Order, saga: Saga): Promise<void> {
  const effects = await at.effectsOf(inputs.order_id);
  const standing = effects.filter((effect) => effect.endsWith('stands'));
  const wanted = saga.status === 'completed' ? TOOLS.map((tool) => `${tool} stands`).sort() : [];
  expect({ saga_id: saga.saga_id, status: saga.status, standing }).toEqual({
    saga_id: saga.saga_id,
    status: saga.status,
    standing: wanted,
  });
}
