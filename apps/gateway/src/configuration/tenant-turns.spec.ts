import { expect, test } from 'vitest';
import { TenantTurns } from './tenant-turns.js';

test('changes of a tenant run one after another in arrival order, and another tenant does not wait', async () => {
  const turns = new TenantTurns();
  const seen: string[] = [];
  let open: () => void = () => undefined;
  const first = turns.take('a', async () => {
    await new Promise<void>((done) => {
      open = done;
    });
    seen.push('a1');
  });
  const second = turns.take('a', () => void seen.push('a2'));
  await turns.take('b', () => void seen.push('b1'));
  expect(seen).toEqual(['b1']);
  open();
  await Promise.all([first, second]);
  expect(seen).toEqual(['b1', 'a1', 'a2']);
});

test('a failed turn rejects, lets the next one run and leaves no state', async () => {
  const turns = new TenantTurns();
  const failed = turns.take('a', () => Promise.reject(new Error('away')));
  const thrown = turns.take('a', () => {
    throw new Error('wrong');
  });
  const next = turns.take('a', () => 7);
  expect(turns.size).toBe(1);
  await expect(failed).rejects.toThrow('away');
  await expect(thrown).rejects.toThrow('wrong');
  expect(await next).toBe(7);
  await Promise.resolve();
  expect(turns.size).toBe(0);
});
