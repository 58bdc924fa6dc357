import type { TenantKeys } from '@countersign/process';
import { expect, test } from 'vitest';
import type { SimulationReport } from './simulation.js';
import { SimulationReports } from './simulation-reports.js';

const HOUR_MS = 3_600_000;
const made_ms = Date.UTC(2026, 0, 1);
const keys: TenantKeys = { tenantKey: (tenant_id) => Buffer.alloc(32, tenant_id) } as TenantKeys;
const reports = new SimulationReports(keys);
const report = {
  made_at: new Date(made_ms).toISOString(),
  config_offset: 7,
  active: '3',
  bundle_digest: 'a'.repeat(64),
  calls: 2,
} as SimulationReport;
const beside = { tenant_id: 'acme', bundle_digest: report.bundle_digest, active: '3', now_ms: made_ms + HOUR_MS };
const proof = reports.prove('acme', report);

test('a report permits the publication of exactly its rules, with the active policy of the report, for a day', () => {
  expect(reports.fault(beside, proof)).toBeUndefined();
  expect(reports.fault({ ...beside, now_ms: made_ms + 24 * HOUR_MS }, proof)).toBeUndefined();
  const refusals = [
    reports.fault(beside, undefined),
    reports.fault({ ...beside, bundle_digest: 'b'.repeat(64) }, proof),
    reports.fault({ ...beside, tenant_id: 'rival' }, proof),
    reports.fault({ ...beside, now_ms: made_ms + 24 * HOUR_MS + 1 }, proof),
    reports.fault({ ...beside, active: '4' }, proof),
    reports.fault({ ...beside, active: null }, proof),
    reports.fault(beside, { ...proof, digest: 'c'.repeat(64) }),
  ];
  for (const refusal of refusals) expect(refusal).toMatchObject({ kind: 'simulation-required' });
});

test('the age of a report cannot be forged', () => {
  const [, signature] = proof.proof.split('.');
  const at = Buffer.from(JSON.stringify({ made_at: new Date(made_ms + 48 * HOUR_MS).toISOString(), config_offset: 7, active: '3' }));
  const forged = { ...proof, proof: `${at.toString('base64url')}.${signature}` };
  expect(reports.fault({ ...beside, now_ms: made_ms + 49 * HOUR_MS }, forged)).toMatchObject({ kind: 'simulation-required' });
});
