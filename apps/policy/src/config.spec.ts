import { expect, test } from 'vitest';
import { parsePolicyConfig } from './config.js';

test('an empty environment gives the defaults', () => {
  expect(parsePolicyConfig({}, ['shared'])).toEqual({
    config: {
      lanes: ['shared'],
      allow_for_ms: 900_000,
      grant_for_ms: 3_600_000,
      batch_records_max: 500,
      pending_records_max: 4000,
      snapshot_every_ms: 10_000,
    },
  });
});

test('all faults are reported at once, each with its variable', () => {
  const parsed = parsePolicyConfig({ COUNTERSIGN_POLICY_ALLOW_FOR_MS: 'soon', COUNTERSIGN_POLICY_BATCH_RECORDS: '0' }, []);
  expect('faults' in parsed && parsed.faults.map((fault) => fault.split(':')[0])).toEqual([
    'COUNTERSIGN_POLICY_ALLOW_FOR_MS',
    'COUNTERSIGN_POLICY_BATCH_RECORDS',
  ]);
});

test('fewer decisions may wait for the log than a start rereads', () => {
  const parsed = parsePolicyConfig({ COUNTERSIGN_POLICY_PENDING_RECORDS: '50000' }, []);
  expect('faults' in parsed && parsed.faults).toEqual([expect.stringContaining('COUNTERSIGN_POLICY_PENDING_RECORDS')]);
});
