import { initialConfiguration } from '@countersign/domain';
import type { Evidence } from '@countersign/process';
import { HeadsLog, noteSigner, signCheckpoint } from '@countersign/proofs';
import { describe, expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { type DropPlan, LogDrop } from './log-drop.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));

/** The day before which a drop at this time cuts, if no call is open. */
async function cutAt(now: string, keep_months: number): Promise<string> {
  const log = { since: async () => 0, first: async () => 0 };
  const deps = { log, store: { query: async () => [{ at_ms: null }] } } as unknown as ConstructorParameters<typeof LogDrop>[0];
  const signed = HeadsLog.empty();
  signed.appendHeads(1, []);
  const record = { number: 0, time_ms: 1, trees: 0, heads: [], note: signCheckpoint({ size: 1, root: signed.root() }, signer) };
  const checkpoint = { record, heads: new Map() };
  const evidence = {
    cosigned: { verified: async () => undefined, asks: false },
    checkpoints: { newest: async () => checkpoint, at: async () => checkpoint },
    signer,
  } as unknown as Evidence;
  const clock = { now_ms: () => Date.parse(now) };
  const configuration = { state: initialConfiguration(), clock } as unknown as ConfigurationService;
  const plan = await new LogDrop(deps, evidence, configuration, { found: () => true }).plan(keep_months);
  return new Date((plan as DropPlan).before_ms).toISOString();
}

describe('dropping old records', () => {
  test('a month without such a day is cut at its last day: no record younger than the limit is deleted', async () => {
    expect(await cutAt('2026-08-31T10:20:30.000Z', 6)).toBe('2026-02-28T10:20:30.000Z');
    expect(await cutAt('2026-08-30T00:00:00.000Z', 6)).toBe('2026-02-28T00:00:00.000Z');
    expect(await cutAt('2028-08-31T00:00:00.000Z', 6)).toBe('2028-02-29T00:00:00.000Z');
    expect(await cutAt('2027-03-31T00:00:00.000Z', 6)).toBe('2026-09-30T00:00:00.000Z');
    expect(await cutAt('2026-12-31T00:00:00.000Z', 18)).toBe('2025-06-30T00:00:00.000Z');
    expect(await cutAt('2026-08-28T00:00:00.000Z', 6)).toBe('2026-02-28T00:00:00.000Z');
    expect(await cutAt('2026-01-15T00:00:00.000Z', 7)).toBe('2025-06-15T00:00:00.000Z');
  });
});
