import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type JourneyWorld, order } from './journey-world.js';

/** One call: executed once, repeated, lost, released. */
export function describeCallJourneys(at: JourneyWorld): void {
  describe('one call', () => {
    test('a write is executed once, recorded and answered with its envelope; a repeat gets the first result', async () => {
      const inputs = { path: 'hello.txt', content: 'hello', mode: 'create' };
      const first = await at.agent.call({ tool: 'write_file', inputs, context: { rationale: 'first call' } });
      expect(first.status).toBe(200);
      expect(first.body).toMatchObject({ name: 'write_file', status: 'succeeded', deduplicated: false, error: null });
      expect(first.body.decision).toMatchObject({ effect: 'allow', tier: 'tier_1_auto', approval_mode_effective: 'local_write' });
      expect(readFileSync(path.join(at.platform.workspace, 'hello.txt'), 'utf8')).toBe('hello');
      writeFileSync(path.join(at.platform.workspace, 'hello.txt'), 'changed since');
      const again = await at.agent.call({ tool: 'write_file', inputs });
      expect(again.body).toMatchObject({
        status: 'succeeded',
        deduplicated: true,
        output: first.body.output,
        idempotency_key: first.body.idempotency_key,
      });
      expect(again.body.call_id).not.toBe(first.body.call_id);
      expect(readFileSync(path.join(at.platform.workspace, 'hello.txt'), 'utf8')).toBe('changed since');
    });

    test('a read after a write sees it, both in the tool and in GET /v1/calls', async () => {
      await at.agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'one', mode: 'overwrite' } });
      expect((await at.agent.call({ tool: 'read_file', inputs: { path: 'a.txt' } })).body.output).toMatchObject({ content: 'one' });
      const write = await at.agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'two', mode: 'overwrite' } });
      const read = await at.agent.call({ tool: 'read_file', inputs: { path: 'a.txt' } });
      expect(read.body).toMatchObject({ status: 'succeeded', deduplicated: false });
      expect(read.body.output).toMatchObject({ content: 'two' });
      expect((await at.agent.readCall(write.body.call_id)).body).toEqual({ ...write.body, effect_now: 'stands' });
    });

    test('occurrence requests an intended repeat; the same header key with other inputs is a 422', async () => {
      const inputs = order();
      const first = await at.agent.call({ tool: 'probe_http_effect', inputs });
      const second = await at.agent.call({ tool: 'probe_http_effect', inputs, occurrence: '2' });
      expect(first.body.status).toBe('succeeded');
      expect(second.body).toMatchObject({ status: 'succeeded', deduplicated: false });
      const header = { 'idempotency-key': `order-${String(order().account)}` };
      const keyed = await at.agent.call({ tool: 'probe_http_effect', inputs: order() }, header);
      expect(keyed.body.status).toBe('succeeded');
      const misuse = await at.agent.call({ tool: 'probe_http_effect', inputs: order() }, header);
      expect(misuse.status).toBe(422);
      expect(misuse.body).toMatchObject({ code: 'VALIDATION_ERROR' });
      expect(await at.counterparty.effectsOf(keyed.body.idempotency_key)).toHaveLength(1);
    });

    test('a response lost after the effect is reconciled, sent again under its key, or reported in doubt', async () => {
      const reconciled = await at.agent.call({ tool: 'probe_http_effect', inputs: order({ lose_answer: true }) });
      expect(reconciled.body.status).toBe('succeeded');
      expect(await at.counterparty.effectsOf(reconciled.body.idempotency_key)).toHaveLength(1);
      const resent = await at.agent.call({ tool: 'probe_http_keyed', inputs: order({ lose_answer: true }) });
      expect(resent.body.status).toBe('succeeded');
      expect(await at.counterparty.effectsOf(resent.body.idempotency_key)).toHaveLength(1);
      const blindInputs = order({ lose_answer: true });
      const blind = await at.agent.call({ tool: 'probe_http_blind', inputs: blindInputs });
      expect(blind.body).toMatchObject({ status: 'in_doubt', error: { code: 'IN_DOUBT' } });
      const retried = await at.agent.call({ tool: 'probe_http_blind', inputs: blindInputs });
      expect(retried.body).toMatchObject({ status: 'in_doubt', deduplicated: true });
      expect(await at.counterparty.effectsOf(blind.body.idempotency_key)).toHaveLength(1);
      const operator = await at.admin.keyFor('user', 'otto', ['operator']);
      const resolution = { resolution: 'happened', output: { ok: true, seq: 1, key: 'k', amount: 7 }, reason: 'seen in the ledger' };
      expect(await operator.request('POST', `/v1/calls/${retried.body.call_id}/resolve`, resolution)).toMatchObject({
        status: 409,
        body: { reason: 'effect_of_another_call', original_call_id: blind.body.call_id },
      });
      const resolved = await operator.request('POST', `/v1/calls/${blind.body.call_id}/resolve`, resolution);
      expect(resolved.status).toBeLessThan(300);
      expect((await at.agent.callUntil(blind.body.call_id, (envelope) => envelope.status !== 'in_doubt')).status).toBe('succeeded');
    });

    test('a write that is cancelled while its response is awaited ends in doubt, and cannot be cancelled again', async () => {
      const inputs = order({ answer_delay_ms: 20_000 });
      const submitted = await at.agent.call({ tool: 'probe_http_blind', inputs }, { prefer: 'wait=0' });
      const { call_id, idempotency_key } = submitted.body;
      while ((await at.counterparty.effectsOf(idempotency_key)).length === 0) await sleep(20);
      const cancelled = await at.agent.request('POST', `/v1/calls/${call_id}/cancel`);
      expect(cancelled).toMatchObject({ status: 200, body: { status: 'in_doubt', error: { code: 'IN_DOUBT' } } });
      expect((await at.agent.request('POST', `/v1/calls/${call_id}/cancel`)).status).toBe(409);
    });

    test('a failure without effect releases the key; a repeat tries again', async () => {
      const inputs = order({ effect: 'none', code: 'PROVIDER_ERROR' });
      const first = await at.agent.call({ tool: 'probe_fail', inputs });
      expect(first.body).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
      const second = await at.agent.call({ tool: 'probe_fail', inputs });
      expect(second.body).toMatchObject({ status: 'failed', deduplicated: false });
    });
  });
}
