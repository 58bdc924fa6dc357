import { createHmac } from 'node:crypto';
import { sampleMeta } from '@countersign/calls/testing/samples';
import type { Principal } from '@countersign/contracts';
import { applyRetention, erasePersonal, initialConfiguration, keepMonths, periodBefore, setRetention } from '@countersign/domain';
import { createLogger, Personal } from '@countersign/process';
import { MemorySubjectKeys } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { KeyRetention } from './key-retention.js';
import { SubjectEraser } from './subject-eraser.js';

const NOW = Date.UTC(2026, 10, 22);
const by: Principal = { kind: 'user', id: 'paula', roles: [] };

function fixture() {
  const state = initialConfiguration();
  const keys = new MemorySubjectKeys();
  const written: string[] = [];
  const meta = { ...sampleMeta(), tenant_id: 'acme' };
  const set = async (_tenant: string, type: string, fields: Record<string, unknown>) => {
    written.push(type);
    const event = { meta, ...fields } as never;
    if (type === 'retention_applied') applyRetention(state, event);
    if (type === 'subject_erased') erasePersonal(state, event, { offset: written.length });
  };
  const configuration = { state, writer: { set }, clock: { now_ms: () => NOW } } as unknown as ConfigurationService;
  const tenants = { tenantKey: (id: string) => createHmac('sha256', 'm').update(id).digest() };
  const personal = new Personal(keys, tenants, () => NOW);
  const retention = new KeyRetention(personal, configuration, createLogger('test', 'silent'));
  const terms = (rules: { marking: string | null; months: number }[], floor_months = 6) =>
    setRetention(state, { meta, version: 1, floor_months, rules, by, changed_at_ms: NOW });
  const seal = async (month: number, markings: string[] = []) =>
    personal.sealing({ tenant_id: 'acme', rules: [], markings, inputs: {}, requested_at_ms: Date.UTC(2026, month - 1, 10) });
  return { state, keys, written, personal, configuration, retention, terms, seal };
}

describe('retention', () => {
  test('a month expires after its retention; data with a marking by the rule of the marking', async () => {
    const { keys, retention, terms, seal, written } = fixture();
    terms([
      { marking: null, months: 6 },
      { marking: 'tax', months: 9 },
    ]);
    for (const month of [1, 2, 4, 5, 11]) await seal(month);
    for (const month of [1, 4]) await seal(month, ['pii', 'tax']);
    const due = [
      { markings: '', before_period: '2026-05', keys: 3 },
      { markings: 'pii,tax', before_period: '2026-02', keys: 1 },
    ];
    expect(await retention.due('acme')).toEqual(due);
    expect(await keys.periods('acme')).toHaveLength(7);
    expect(await retention.apply('acme', by)).toEqual(due);
    expect((await keys.periods('acme')).map(({ markings, period }) => `${markings} ${period}`)).toEqual([
      ' 2026-05',
      ' 2026-11',
      'pii,tax 2026-04',
    ]);
    expect(await retention.apply('acme', by)).toEqual([]);
    expect(written).toEqual(['retention_applied']);
  });

  test('data without a retention rule is kept forever; the minimum applies to every rule', async () => {
    const { retention, terms, seal } = fixture();
    await seal(1);
    expect(await retention.due('acme')).toEqual([]);
    terms([{ marking: 'tax', months: 6 }]);
    expect(await retention.due('acme')).toEqual([]);
    const of = (months: number, floor_months: number) =>
      keepMonths({ version: 1, floor_months, rules: [{ marking: null, months }], by, changed_at_ms: 0 }, []);
    expect([of(1, 1), of(7, 12), of(24, 6)]).toEqual([6, 12, 24]);
    expect([periodBefore(NOW, 6), periodBefore(NOW, 11), periodBefore(NOW, 12)]).toEqual(['2026-05', '2025-12', '2025-11']);
  });

  test('keys of expired months that a backup restored are destroyed again at the next start', async () => {
    const { state, personal, configuration, retention, terms, seal } = fixture();
    terms([{ marking: null, months: 6 }]);
    await seal(1);
    await retention.apply('acme', by);
    const restored = new MemorySubjectKeys();
    const place = { tenant_id: 'acme', subject: personal.ref('acme', 'ada'), markings: '', period: '2026-01' };
    await restored.current([place, { ...place, period: '2026-11' }], NOW);
    await new SubjectEraser(new Personal(restored, { tenantKey: () => Buffer.alloc(32) }, () => NOW), configuration).reconcile(state);
    expect((await restored.periods('acme')).map(({ period }) => period)).toEqual(['2026-11']);
  });
});
