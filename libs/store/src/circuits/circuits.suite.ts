import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { allCircuits, CIRCUITS_PER_TENANT_MAX, type CircuitChange, changeCircuits, circuitsFor, circuitsOf } from './circuits.js';
import { releaseProbe, takeProbe } from './probes.js';

/** Circuits of tools, on every adapter of the Store. */
export function describeCircuits(store: () => Store): void {
  describe('circuits', () => {
    const key = (tool = 'pay') => ({ tenant_id: randomUUID() as string, tool, version: '1.0.0' });
    const closed = { slots: '[]', failing_since_ms: 3, openings: 0, opened_at_ms: null, open_until_ms: null };
    const open = (open_until_ms: number, openings = 1) => ({ slots: '[]', failing_since_ms: 3, openings, opened_at_ms: 5, open_until_ms });
    const write = (...changes: CircuitChange[]) => changeCircuits(store(), changes);

    test('a row is made, changed and removed only by who saw its last revision', async () => {
      const of = key();
      const made = await Promise.all([write({ ...of, revision: null, after: closed }), write({ ...of, revision: null, after: open(9) })]);
      expect(made.flat()).toEqual([of]);
      const changed = await Promise.all([
        write({ ...of, revision: 1, after: open(10) }),
        write({ ...of, revision: 1, after: open(10, 2) }),
        write({ ...of, revision: 1, after: null }),
      ]);
      expect(changed.flat()).toHaveLength(1);
      const [row] = await circuitsFor(store(), [of]);
      if (row) {
        expect(row.revision).toBe(2);
        expect(await write({ ...of, revision: 1, after: null })).toEqual([]);
        expect(await write({ ...of, revision: 2, after: null })).toEqual([of]);
      }
      expect(await circuitsFor(store(), [of])).toEqual([]);
    });

    test('several circuits are written together, each by its own revision', async () => {
      const [one, two, three] = [key('one'), key('two'), key('three')] as const;
      await write({ ...one, revision: null, after: closed }, { ...two, revision: null, after: closed });
      const written = await write(
        { ...two, revision: 7, after: open(9) },
        { ...three, revision: null, after: open(9) },
        { ...one, revision: 1, after: null },
      );
      expect(written).toEqual(expect.arrayContaining([one, three]));
      expect(written).toHaveLength(2);
      const rows = await circuitsFor(store(), [one, two, three, key()]);
      expect(rows.map(({ tool, open_until_ms }) => [tool, open_until_ms]).sort()).toEqual([
        ['three', 9],
        ['two', null],
      ]);
      const all = await allCircuits(store());
      expect(all.filter(({ tenant_id }) => tenant_id === three.tenant_id)).toEqual(await circuitsOf(store(), three.tenant_id));
    });

    test('a tenant has a bounded number of rows', async () => {
      const { tenant_id } = key();
      const many = Array.from({ length: CIRCUITS_PER_TENANT_MAX + 5 }, (_, at) => ({ tenant_id, tool: `t${at}`, version: '1.0.0' }));
      const written = await write(...many.map((of) => ({ ...of, revision: null, after: closed })));
      expect(written).toHaveLength(CIRCUITS_PER_TENANT_MAX);
      expect(await circuitsOf(store(), tenant_id)).toHaveLength(CIRCUITS_PER_TENANT_MAX);
      expect(await write({ ...key(), revision: null, after: closed })).toHaveLength(1);
    });

    test('a circuit belongs to its tenant', async () => {
      const of = key();
      await write({ ...of, revision: null, after: open(1) });
      const other = { ...of, tenant_id: randomUUID() };
      expect(await circuitsOf(store(), other.tenant_id)).toEqual([]);
      expect(await circuitsFor(store(), [other])).toEqual([]);
      expect(await takeProbe(store(), other, { holder: 'a', lease_ms: 60_000 })).toBe('closed');
    });

    test('of callers that probe at the same time one holds the lease, and the same one again', async () => {
      const of = key();
      await write({ ...of, revision: null, after: open(Date.now() - 1_000) });
      const take = (holder: string, lease_ms = 60_000) => takeProbe(store(), of, { holder, lease_ms });
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(holder)));
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
      const holder = ['a', 'b', 'c', 'd'][answers.indexOf('held')] as string;
      expect([await take(holder), await take('e')]).toEqual(['held', 'taken']);
      await releaseProbe(store(), of, 'e');
      expect(await take('e')).toBe('taken');
      await releaseProbe(store(), of, holder);
      expect(await take('e', 0)).toBe('held');
      expect(await take('f')).toBe('held');
    });

    test('no probe is held before the circuit is half-open, and a new opening ends it', async () => {
      const of = key();
      await write({ ...of, revision: null, after: open(Date.now() + 60_000) });
      const take = (holder: string) => takeProbe(store(), of, { holder, lease_ms: 60_000 });
      expect(await take('a')).toBe('taken');
      await write({ ...of, revision: 1, after: open(Date.now() - 1_000) });
      expect(await take('a')).toBe('held');
      await write({ ...of, revision: 2, after: { ...open(Date.now() - 1_000), slots: '[1]' } });
      expect(await take('b')).toBe('taken');
      await write({ ...of, revision: 3, after: open(Date.now() - 1_000, 2) });
      expect(await take('b')).toBe('held');
      await write({ ...of, revision: 4, after: null });
      expect(await take('b')).toBe('closed');
    });
  });
}
