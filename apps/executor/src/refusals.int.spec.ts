import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

describe('a call that does not run', () => {
  test('an expired authorization, and a deadline that passed', async () => {
    await rig.start();
    const old = await rig.allow('blind_write', 'a', { ruling: { execute_before_ms: Date.now() - 1 } });
    const late = await rig.allow('blind_write', 'b', { call: { deadline_ms: Date.now() - 1 } });
    const read = await rig.allow('test_read', 'c', { call: { deadline_ms: Date.now() - 1 } });
    for (const ruling of [old, late, read])
      expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'expired', effect: 'none' });
    expect(rig.world.effects).toEqual([]);
    expect(rig.world.reads).toEqual([]);
  });

  test('the same key with other inputs', async () => {
    await rig.start();
    const key = '11111111-1111-4111-8111-111111111111';
    await rig.end(await rig.allow('blind_write', 'a', { key }));
    const reused = await rig.end(await rig.allow('blind_write', 'b', { key }));
    expect(reused.event.outcome).toMatchObject({
      status: 'failed',
      effect: 'none',
      error: { code: 'VALIDATION_ERROR', details_json: '{"reason":"idempotency_key_reused"}' },
    });
    expect(rig.world.effects).toHaveLength(1);
  });

  test('a cancellation before its decision: the tombstone was first', async () => {
    await rig.start();
    const ruling = rig.ruling('blind_write', 'a');
    await rig.cancel(ruling);
    expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'cancelled', effect: 'none' });
    await rig.put('policy_decided', [ruling]);
    const next = await rig.end(await rig.allow('blind_write', 'a'));
    expect(next.event.outcome.status).toBe('succeeded');
    expect(next.event.meta.attempt).toBe(2);
    expect(rig.world.effects).toHaveLength(1);
  });

  test('a cancellation while it waits for a slot', async () => {
    await rig.start({ running_max: 1 });
    const open = rig.world.close();
    const first = await rig.allow('blind_write', 'a', { act: 'gate' });
    await rig.until(() => rig.world.effects.length === 1);
    const second = await rig.allow('blind_write', 'b');
    await rig.cancel(second);
    expect((await rig.end(second)).event.outcome.status).toBe('cancelled');
    open();
    expect((await rig.end(first)).event.outcome.status).toBe('succeeded');
    expect(rig.world.effects).toHaveLength(1);
  });

  test('invalid inputs, an unknown tool, a changed contract', async () => {
    await rig.start();
    const bad = rig.ruling('blind_write', 'a');
    const unknown = rig.ruling('blind_write', 'b');
    const changed = rig.ruling('blind_write', 'c');
    await rig.put('policy_decided', [
      { ...bad, call: { ...bad.call, inputs_json: '{"name":1}' } },
      { ...unknown, call: { ...unknown.call, tool: 'no_such_tool' } },
      { ...changed, call: { ...changed.call, contract_digest: '0'.repeat(64) } },
    ]);
    for (const ruling of [bad, unknown, changed])
      expect((await rig.end(ruling)).event.outcome).toMatchObject({
        status: 'failed',
        effect: 'none',
        error: { code: 'VALIDATION_ERROR' },
      });
    expect(rig.world.effects).toEqual([]);
  });

  test('a call under a policy that became stricter is decided again, and does not run', async () => {
    await rig.start();
    const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
    const meta = { ...rig.meta('0-11111111-1111-4111-8111-111111111111', 'default'), call_id: null, partition: 0 };
    const blocked = {
      meta,
      tool: 'blind_write',
      tier: 'tier_3_blocked' as const,
      rule_id: 'freeze',
      approver_roles: [],
      quorum: 1,
      expires_after_ms: null,
      requirement: null,
      by,
      changed_at_ms: Date.now(),
    };
    await rig.put('tool_policy_set', [blocked]);
    const ruling = await rig.allow('blind_write', 'a', { ruling: { config_offset: -1 } });
    await rig.until(async () => (await rig.eventsOf(ruling.meta.call_id as string)).length === 1);
    expect((await rig.eventsOf(ruling.meta.call_id as string))[0]).toMatchObject({
      event_type: 'tool_call_rejudged',
      event: { rule: 'freeze', tier: 'tier_3_blocked' },
    });
    expect(rig.world.effects).toEqual([]);
  });

  test('an output beyond its limit is cut, with a warning', async () => {
    await rig.start();
    const end = await rig.end(await rig.allow('test_read', 'a', { act: 'long' }));
    expect(end.event.outcome).toMatchObject({ status: 'succeeded', truncated: true });
    expect(Buffer.byteLength(end.event.outcome.output_json as string)).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('a grant', () => {
  test('runs once however often it is repeated, and answers the joined grants', async () => {
    await rig.start();
    const decision = rig.ruling('blind_write', 'a');
    const joined = rig.ruling('blind_write', 'a');
    const grant = rig.grant(decision);
    await rig.put('approval_granted', [
      grant,
      grant,
      rig.grant(joined, ['ann'], { approval_id: grant.approval_id, joined_call_id: decision.meta.call_id }),
    ]);
    expect((await rig.end(decision)).event.outcome.status).toBe('succeeded');
    expect(await rig.end(joined)).toMatchObject({
      event_type: 'tool_retry_deduplicated',
      event: { original_call_id: decision.meta.call_id },
    });
    expect(rig.world.effects).toHaveLength(1);
  });

  test('an approval counts once: another call with it does not run', async () => {
    await rig.start();
    const first = rig.ruling('blind_write', 'a');
    const second = rig.ruling('blind_write', 'b');
    const grant = rig.grant(first);
    await rig.put('approval_granted', [grant]);
    await rig.end(first);
    await rig.put('approval_granted', [rig.grant(second, ['ann'], { approval_id: grant.approval_id })]);
    expect((await rig.end(second)).event.outcome).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'POLICY_DENIED' } });
    expect(rig.world.effects).toHaveLength(1);
  });
});
