import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../store.js';
import { SqlRows } from './sql-rows.js';
import { Vault } from './vault.js';
import { KnownWrappingKeys } from './wrapping-keys.js';

const key = (fill: number): Buffer => Buffer.alloc(32, fill);
const terms = { now_ms: 10, expires_at_ms: null, must_exist: false };

/** The contract of sealed values for every store. */
export function describeSealed(store: () => Store): void {
  test('a sealed value is read as it was set, in its newest version only, and unchanged under a new wrapping key', async () => {
    const tenant_id = randomUUID();
    const place = { tenant_id, scope: 'workspace' as const, owner: '', name: 'api' };
    const of = { tenant_id, user_id: 'ann', name: 'api' };
    const rows = new SqlRows(store());
    const vault = new Vault(rows, new KnownWrappingKeys([['a', key(1)]]));
    const value = 'quote " backslash \\ NUL-free \u{1F9FE} value';
    expect((await vault.set(place, 'an older value', terms))?.version).toBe(1);
    expect((await vault.set(place, value, terms))?.version).toBe(2);
    expect(await vault.resolve(of, 20)).toEqual({ value, scope: 'workspace', version: 2 });
    const raced = await Promise.all([1, 2, 3, 4].map((n) => vault.set({ ...place, name: 'raced' }, `value number ${n}`, terms)));
    expect(raced.filter((fact) => fact?.version === 1)).toHaveLength(1);
    const rotated = new Vault(
      rows,
      new KnownWrappingKeys([
        ['b', key(2)],
        ['a', key(1)],
      ]),
    );
    expect((await rotated.rotate()).key_id).toBe('b');
    expect(await new Vault(rows, new KnownWrappingKeys([['b', key(2)]])).resolve(of, 20)).toMatchObject({ value });
    expect(await vault.list(tenant_id)).toHaveLength(2);
    expect(await vault.remove(place)).toBe(true);
    expect(await vault.resolve(of, 20)).toEqual({ missing: 'absent', scope: null });
  });

  test('a value is replaced or removed only if it is the one that was read, even if that was removed and set again', async () => {
    const place = { tenant_id: randomUUID(), scope: 'workspace' as const, owner: '', name: 'api' };
    const vault = new Vault(new SqlRows(store()), new KnownWrappingKeys([['a', key(1)]]));
    const first = await vault.set(place, 'the first value', { ...terms, over: null });
    const over = first?.tag as string;
    expect(await vault.set(place, 'a rival value', { ...terms, over: null })).toBeUndefined();
    const raced = await Promise.all([1, 2, 3].map((n) => vault.set(place, `value number ${n}`, { ...terms, over })));
    expect(raced.filter((fact) => fact !== undefined)).toMatchObject([{ version: 2 }]);
    expect(await vault.remove(place, over)).toBe(false);
    expect(await vault.remove(place, (await vault.fact(place))?.tag)).toBe(true);
    const again = await vault.set(place, 'the first value', terms);
    expect([again?.version, again?.tag === over]).toEqual([1, false]);
    expect(await vault.set(place, 'a late value', { ...terms, over })).toBeUndefined();
    expect(await vault.remove(place, over)).toBe(false);
  });

  test("a client's secret is one of its workspace; only tenant default, which sets them, may use those of the installation", async () => {
    const vault = new Vault(new SqlRows(store()), new KnownWrappingKeys([['a', key(1)]]));
    const [acme, shared] = [randomUUID(), `shared-${randomUUID()}`];
    const org = { tenant_id: '', scope: 'org' as const, owner: '', name: shared };
    await vault.set(org, 'of the installation', terms);
    await vault.set({ tenant_id: acme, scope: 'workspace', owner: '', name: 'own' }, 'of acme', terms);
    await vault.set({ tenant_id: acme, scope: 'user', owner: 'ann', name: 'of_ann' }, 'of ann', terms);
    expect(await vault.clientSecret(acme, 'own', 20)).toMatchObject({ value: 'of acme' });
    expect(await vault.clientSecret('default', shared, 20)).toMatchObject({ value: 'of the installation' });
    for (const name of [shared, 'of_ann']) expect(await vault.clientSecret(acme, name, 20)).toEqual({ missing: 'absent', scope: null });
    await vault.set(org, 'of the installation', { ...terms, expires_at_ms: 15 });
    expect(await vault.clientSecret(acme, shared, 20)).toEqual({ missing: 'absent', scope: null });
    await vault.remove(org);
  });

  test('a sealed token is stored once and removed an hour after it has expired', async () => {
    const tenant_id = randomUUID();
    const vault = new Vault(new SqlRows(store()), new KnownWrappingKeys([['b', key(2)]]));
    const token = { user_id: 'ann', text: randomUUID(), expires_at_ms: 1_000 };
    const ref = await vault.seal(tenant_id, token, 10);
    expect(await vault.seal(tenant_id, token, 20)).toBe(ref);
    expect(await vault.token(tenant_id, ref)).toEqual(token);
    const sweepAt = (now_ms: number) => vault.seal(tenant_id, { ...token, text: randomUUID(), expires_at_ms: 9e12 }, now_ms);
    await sweepAt(3_600_999);
    expect(await vault.token(tenant_id, ref)).toEqual(token);
    await sweepAt(2 * 3_600_999);
    expect(await vault.token(tenant_id, ref)).toBeUndefined();
  });
}
