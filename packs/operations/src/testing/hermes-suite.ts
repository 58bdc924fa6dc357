import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Attempt, ErpRecord, Hermes, Values } from '../hermes/port.js';

/** A business system for the suite. Inputs are in the shape of the system, as a mapping would make them. */
export interface HermesWorld {
  erp(): Hermes;
  /** A purchase order of one line with 10 pieces. */
  order(): Values;
  /** The same order to a supplier that does not exist. */
  orderToNobody(): Values;
  /** Sets the reference of an order as a person does. */
  edit(id: string, reference: string): Promise<void>;
  /** A connector to the same system, which refuses all requests after the first with this text. Absent: a system without requests. */
  busyAfter?: { create: string; cancel: string; connect(text: string): Promise<Hermes> };
}

const KIND = 'purchase_order';

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  key: randomUUID(),
  signal: new AbortController().signal,
  deadline_ms: Date.now() + 30_000,
  ...more,
});

/** What every connector must do, on its own system. */
export function describeHermes(name: string, world: HermesWorld): void {
  describe(`Hermes on ${name}`, () => {
    const created = (by = attempt(), more: Values = {}) => world.erp().create(KIND, { ...world.order(), ...more }, by);
    const read = async (id: string) => (await world.erp().read(KIND, id)) as ErpRecord;

    test('a new order is a draft, has a page, and shows its lines', async () => {
      const order = await created();
      expect(order).toMatchObject({ status: 'draft', line_quantities: [10] });
      expect(order.external_url).toMatch(/^\w+:\S+$/);
      expect(await read(order.id)).toEqual(order);
    });

    test('the mark of the attempt is found, and people do not see it', async () => {
      const by = attempt();
      const order = await created(by, { reference: 'Q-17' });
      expect(order.reference).toBe('Q-17');
      expect(await world.erp().readBack(KIND, by.key)).toEqual({ kind: 'present', record: order });
      expect(await world.erp().readBack(KIND, randomUUID())).toEqual({ kind: 'absent' });
    });

    test('a reference that a person replaced leaves no trace', async () => {
      const by = attempt();
      const order = await created(by);
      await world.edit(order.id, 'mine');
      expect(await world.erp().readBack(KIND, by.key)).toEqual({ kind: 'absent' });
      expect((await read(order.id)).reference).toBe('mine');
    });

    test('a cancel of a draft cancels it', async () => {
      const { id } = await created();
      await world.erp().act(KIND, id, 'cancel', attempt());
      expect((await read(id)).status).toBe('cancelled');
    });

    test('a confirmed order is processed, and no cancel changes that, whatever it answers', async () => {
      const { id } = await created();
      const by = attempt();
      await world.erp().act(KIND, id, 'confirm', by);
      expect((await read(id)).status).toBe('processing');
      expect(await world.erp().readBack(KIND, by.key)).toMatchObject({ kind: 'present', record: { id, status: 'processing' } });
      await world
        .erp()
        .act(KIND, id, 'cancel', attempt())
        .catch(() => undefined);
      expect((await read(id)).status).toBe('processing');
    });

    test('a later write leaves the mark of the creation', async () => {
      const [first, second] = [attempt(), attempt()];
      const { id } = await created(first);
      await world.erp().update(KIND, id, { line: 1, quantity: 7 }, second);
      expect((await read(id)).line_quantities).toEqual([7]);
      for (const { key } of [first, second])
        expect(await world.erp().readBack(KIND, key)).toMatchObject({ kind: 'present', record: { id } });
    });

    test('a line that does not exist is refused by the name of its input', async () => {
      const { id } = await created();
      await expect(world.erp().update(KIND, id, { line: 9, quantity: 7 }, attempt())).rejects.toMatchObject({
        more: { effect: 'none', details: { path: '/line' } },
      });
    });

    test('an unknown supplier is refused by the name that agents use, and nothing is written', async () => {
      const by = attempt();
      const asked = world.erp().create(KIND, world.orderToNobody(), by);
      await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path: '/supplier' } } });
      expect(await world.erp().readBack(KIND, by.key)).toEqual({ kind: 'absent' });
    });

    test('what is given up before it is sent is not written', async () => {
      const by = attempt({ signal: AbortSignal.abort() });
      await expect(created(by)).rejects.toMatchObject({ countersign_tool_error: true, more: { effect: 'none' } });
      expect(await world.erp().readBack(KIND, by.key)).toEqual({ kind: 'absent' });
    });

    test('pages follow each other without gap or repetition', async () => {
      const ids = [(await created()).id, (await created()).id, (await created()).id];
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const found = await world.erp().find(KIND, { where: {}, open: true }, { limit: 2, cursor });
        seen.push(...found.items.map(({ id }) => id));
        cursor = found.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(ids));
    });

    test.each(['no-such-id', '999999999', "1' OR '1'='1", '%'])('an id that names nothing reads nothing: %s', async (id) => {
      expect(await world.erp().read(KIND, id)).toBeUndefined();
    });

    test('five concurrent writes with keys of their own are five orders', async () => {
      const orders = await Promise.all(Array.from({ length: 5 }, () => created()));
      expect(new Set(orders.map(({ id }) => id)).size).toBe(5);
    });

    if (world.busyAfter) {
      const { connect, create, cancel } = world.busyAfter;
      test('that the system is busy after a write says nothing about the write, which its mark finds', async () => {
        const [made, cancelled] = [attempt(), attempt()];
        const unknown = { code: 'RATE_LIMIT', more: { effect: 'unknown' } };
        await expect((await connect(create)).create(KIND, world.order(), made)).rejects.toMatchObject(unknown);
        const found = await world.erp().readBack(KIND, made.key);
        expect(found).toMatchObject({ kind: 'present', record: { status: 'draft' } });
        const { id } = (found as { record: ErpRecord }).record;
        await expect((await connect(cancel)).act(KIND, id, 'cancel', cancelled)).rejects.toMatchObject(unknown);
        expect((await read(id)).status).toBe('cancelled');
      });
    }
  });
}
