import { extrasOf } from '@countersign/contracts';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { type OutcomeParts, outcomeOf } from '../calls/outcomes.js';
import { Durations } from './durations.js';
import { measureTools, ToolTallies } from './tool-tallies.js';

test('quantiles are within ten percent of the true ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.1, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.9, 0.99),
      (all, share) => {
        const durations = new Durations();
        for (const each of all) durations.add(each);
        const exact = [...all].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * all.length) - 1)] as number;
        expect(Math.abs(durations.quantile_ms(share) / exact - 1)).toBeLessThan(0.1);
      },
    ),
  );
});

test('throughput, success ratio, quantiles, error classes and cost of each tool are on /metrics', async () => {
  const tallies = new ToolTallies();
  const register = new Registry();
  measureTools(tallies, register);
  const job = { call: { tool: 'pay', version: '1.2.0' }, started_at_ms: 0, resends: 1 } as Job;
  const end = (parts: OutcomeParts, at_ms: number) => tallies.ended(job, { ...outcomeOf(job, parts, at_ms), duration_ms: at_ms });
  for (let i = 0; i < 98; i++) end({ status: 'succeeded', effect: 'happened', extras: extrasOf({ cost: 0.5 }) }, 10);
  end({ status: 'succeeded', effect: 'none', extras: extrasOf({ cached: true, cost: 0 }) }, 10);
  const error = { code: 'TIMEOUT', class: 'transient', message: '', details_json: null, retryable: true, retry_after_s: null } as const;
  end({ status: 'failed', effect: 'none', error }, 1000);
  end({ status: 'cancelled', effect: 'none' }, 1);
  const text = await register.metrics();
  const value = (line: string) => Number(new RegExp(`^${line.replace(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1]);
  const at = 'tool="pay",version="1.2.0"';
  expect(value(`countersign_tool_calls_total{${at},status="succeeded"}`)).toBe(99);
  expect(value(`countersign_tool_errors_total{${at},code="TIMEOUT",class="transient"}`)).toBe(1);
  expect(value(`countersign_tool_success_ratio{${at}}`)).toBeCloseTo(0.99);
  expect(value(`countersign_tool_duration_seconds{${at},quantile="0.5"}`)).toBeCloseTo(0.01, 2);
  expect(value(`countersign_tool_cost_usd_total{${at}}`)).toBe(49);
  expect(value(`countersign_tool_cached_total{${at}}`)).toBe(1);
  expect(value(`countersign_tool_retries_total{${at}}`)).toBe(101);
  expect(await register.metrics()).toBe(text);
});
