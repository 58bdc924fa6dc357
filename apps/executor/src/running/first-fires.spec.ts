import { expect, test } from '@jest/globals';
import { FirstFires } from './first-fires.js';
import type { Job } from './job.js';

const job = (tenant_id: string): Job =>
  ({ tenant_id, resends: 0, judged_position: 1, judged_at_ms: 1000, call: { deadline_ms: null }, authorised: {} }) as never;

test('a start that is durable does not fire while the record of its tenant is damaged, and fires once it is accepted', () => {
  const damaged = new Set(['acme']);
  const judge = { silent: false, position: 1 };
  const hold = { holds: (tenant_id: string) => damaged.has(tenant_id) };
  const fires = new FirstFires(judge as never, { hold } as never, { now_ms: () => 1000, monotonic_ms: () => 0 });
  const fired: string[] = [];
  fires.steps = { fire: (jobs) => fired.push(...jobs.map(({ tenant_id }) => tenant_id)), refused: () => undefined };
  fires.take([job('acme'), job('other')]);
  fires.tick();
  expect(fired).toEqual(['other']);
  damaged.clear();
  fires.tick();
  expect(fired).toEqual(['other', 'acme']);
});
