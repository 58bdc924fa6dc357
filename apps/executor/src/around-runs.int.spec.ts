import type { Authority, ToolCall } from '@countersign/contracts';
import { decodeProgress, type Progress, progressChannel } from '@countersign/process';
import { InProcessResults } from '@countersign/store';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RulingOptions } from './testing/played-policy.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
const metrics = new Registry();
const heard: Progress[] = [];
beforeAll(async () => {
  rig = await Rig.open();
  await rig.start({}, { metrics });
  await rig.wake_ups.subscribe(progressChannel('shared'), (payload) => heard.push(decodeProgress(payload) as Progress));
});
afterAll(() => rig.close());

const outcomeOf = async (tool: string, name: string, options: RulingOptions = {}) =>
  (await rig.end(await rig.allow(tool, name, options))).event.outcome;
const blobOf = (url: string, tenant = 'default') => rig.blobs.get(tenant, url.replace('/v1/blobs/', ''));

describe('an output that is too large for the record', () => {
  test('is stored in full, and the recorded part has its URL', async () => {
    const outcome = await outcomeOf('faulty_read', 'large', { act: 'large' });
    expect(outcome).toMatchObject({
      status: 'succeeded',
      truncated: true,
      attachments: [{ kind: 'blob', content_type: 'application/json' }],
    });
    const [attachment] = outcome.attachments;
    const whole = await blobOf(attachment?.url as string);
    expect(whole?.length).toBe(attachment?.bytes);
    expect(JSON.parse(String(whole)).rows).toHaveLength(60_000);
    expect(await blobOf(attachment?.url as string, 'other')).toBeUndefined();
  });

  test('if it cannot be stored the part is the result, with a warning', async () => {
    const put = vi.spyOn(rig.blobs, 'put').mockRejectedValue(new Error('disk full'));
    const outcome = await outcomeOf('faulty_read', 'large-2', { act: 'large' });
    put.mockRestore();
    expect(outcome).toMatchObject({ status: 'succeeded', truncated: true, attachments: [] });
    expect(outcome.warnings.join()).toMatch(/was not stored/);
  });
});

test('a repeat of a write with a large output gets the same from the log', async () => {
  const first = await outcomeOf('faulty_write', 'large-write', { act: 'large' });
  const again = await rig.end(await rig.allow('faulty_write', 'large-write', { act: 'large' }));
  expect(again).toMatchObject({ event_type: 'tool_retry_deduplicated', event: { outcome: { output_json: first.output_json } } });
  expect(rig.world.faulty.runsOf('large-write')).toBe(1);
});

test('a write with a large output and a read-back ends too', async () => {
  const outcome = await outcomeOf('verified_write', 'large-verified', { act: 'large' });
  expect(outcome).toMatchObject({ status: 'succeeded', truncated: true, extras: { verified: true } });
});

test('a write that changed nothing reports that: it succeeded without an effect, and is not run again', async () => {
  expect(await outcomeOf('keyed_write', 'changing')).toMatchObject({ status: 'succeeded', effect: 'happened' });
  const first = await outcomeOf('keyed_write', 'unchanging', { act: 'nothing' });
  expect(first).toMatchObject({ status: 'succeeded', effect: 'none' });
  const again = await rig.end(await rig.allow('keyed_write', 'unchanging'));
  expect(again).toMatchObject({
    event_type: 'tool_retry_deduplicated',
    event: { outcome: { output_json: first.output_json, effect: 'none' } },
  });
});

test('outcomes of each tool are on /metrics', async () => {
  await outcomeOf('faulty_read', 'counted');
  await outcomeOf('faulty_read', 'counted-too', { act: 'wrong_shape' });
  const text = await metrics.metrics();
  expect(text).toMatch(/^countersign_tool_calls_total\{tool="faulty_read",version="1.0.0",status="succeeded"\} [1-9]/m);
  expect(text).toMatch(
    /^countersign_tool_errors_total\{tool="faulty_read",version="1.0.0",code="VALIDATION_ERROR",class="validation"\} 1$/m,
  );
  expect(text).toMatch(/^countersign_tool_cost_per_call_usd\{tool="faulty_read",version="1.0.0"\} 0.01$/m);
});

describe('a tool that reports', () => {
  test('stores and lists its attachments, and reports progress at a bounded rate and always at its end', async () => {
    const outcome = await outcomeOf('reporting_read', 'a');
    expect(outcome.attachments).toEqual([
      { kind: 'table', url: JSON.parse(outcome.output_json as string).at, content_type: 'text/csv', bytes: 8 },
    ]);
    expect(String(await blobOf(outcome.attachments[0]?.url as string))).toBe('a,b\n1,2\n');
    expect(heard.length).toBeLessThan(20);
    expect(heard[0]).toMatchObject({ tenant_id: 'default', fraction: 0, message: 'page 0 of a' });
    expect(heard.at(-1)).toMatchObject({ fraction: 1, message: 'done' });
  });
});

describe('a tool with cacheable results', () => {
  const runs = () => rig.world.faulty.runs.length;

  const authority: Authority = {
    agent_token_ref: 'key:1',
    scopes: null,
    clearances: ['secret', 'internal'],
    purposes: null,
    on_behalf_of: null,
    delegated_user_token_ref: null,
    delegation_id: null,
    sources: [],
    markings: [],
  };
  const asking = (over: Partial<ToolCall>) => outcomeOf('cached_read', 'a', { call: over });
  const ann = { kind: 'user' as const, id: 'ann', roles: [] };

  const fromSource = (version: string) => {
    rig.world.faulty.source = version;
    return outcomeOf('cached_read', 'a');
  };

  test('answers equal calls from the cache, with a mark and the age', async () => {
    const first = await outcomeOf('cached_read', 'a');
    const before = runs();
    const again = await outcomeOf('cached_read', 'a');
    expect(runs()).toBe(before);
    expect(first.extras).toMatchObject({ cost: 0.01 });
    expect(again).toMatchObject({ output_json: first.output_json, extras: { cached: true, cost: 0 } });
    expect(again.extras?.provenance).toEqual({ source: 'cached_read@1.0.0', as_of_ms: first.ended_at_ms, confidence: null });
  });

  test.each([
    ['other inputs', () => outcomeOf('cached_read', 'b')],
    ['another tenant', () => outcomeOf('cached_read', 'a', { tenant: 'other' })],
    ['another version of its source', () => fromSource('2')],
    ['a source whose version is unknown', () => fromSource('unavailable')],
    ['another principal', () => asking({ principal: { kind: 'agent', id: 'agent-2', roles: ['agent'] } })],
    ['a user with the id of the agent', () => asking({ principal: { kind: 'user', id: 'agent-1', roles: ['agent'] } })],
    ['other clearances', () => asking({ authority })],
    ['the same for another user', () => asking({ authority: { ...authority, clearances: [], on_behalf_of: ann } })],
    ['a tool that declares no cache', () => outcomeOf('faulty_read', 'a')],
  ])('%s: it runs', async (_what, call) => {
    const before = runs();
    const outcome = await call();
    rig.world.faulty.source = '1';
    expect(outcome).toMatchObject({ status: 'succeeded' });
    expect(outcome.extras?.cached ?? false).toBe(false);
    expect(runs()).toBe(before + 1);
  });

  test('clearances are a set: an equal caller with another order is answered from the cache', async () => {
    await asking({ authority });
    const before = runs();
    const again = await asking({ authority: { ...authority, clearances: ['internal', 'secret'] } });
    expect(again.extras).toMatchObject({ cached: true });
    expect(runs()).toBe(before);
  });

  test('a pure tool answers every caller from the cache', async () => {
    const first = await outcomeOf('pure_read', 'a');
    const again = await outcomeOf('pure_read', 'a', { call: { principal: { kind: 'agent', id: 'agent-2', roles: ['agent'] }, authority } });
    expect(first.extras?.cached ?? false).toBe(false);
    expect(again.extras).toMatchObject({ cached: true });
  });

  test('failures are never cached', async () => {
    const before = runs();
    expect((await outcomeOf('cached_read', 'f', { act: 'wrong_shape' })).status).toBe('failed');
    expect((await outcomeOf('cached_read', 'f', { act: 'wrong_shape' })).status).toBe('failed');
    expect(runs()).toBe(before + 2);
  });

  test('a foreign value in the cache is not used as a result', async () => {
    const forged = vi
      .spyOn(InProcessResults.prototype, 'get')
      .mockReturnValue(Buffer.from(`${'x'.repeat(32)}{"output_json":"\\"forged\\""}`));
    const before = runs();
    const outcome = await outcomeOf('cached_read', 'a');
    forged.mockRestore();
    expect(outcome.output_json).toBe('{"ok":true}');
    expect(runs()).toBe(before + 1);
  });
});
