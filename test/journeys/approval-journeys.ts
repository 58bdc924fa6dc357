import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { Receiver } from './receiver.js';

/** Approval: a person decides, exactly once. */
export function describeApprovalJourneys(at: JourneyWorld): void {
  describe('approval', () => {
    const waiting = async (note: string) => {
      const answer = await at.agent.call({ tool: 'probe_approval', inputs: order({ note }) });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('location')).toBe(`/v1/calls/${answer.body.call_id}`);
      expect(answer.body).toMatchObject({
        status: 'pending_approval',
        decision: { effect: 'require_approval', tier: 'tier_2_approval_required' },
      });
      return answer.body;
    };
    const vote = (by: Api, envelope: Envelope, body: Record<string, unknown>) =>
      by.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, body);

    test('the call waits, a person approves, it runs once; a late vote is a 409', async () => {
      const envelope = await waiting('approve me');
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
      const listed = await at.anna.request<{ items: { approval_id: string }[] }>('GET', '/v1/approvals?status=pending');
      expect(listed.body.items.map((item) => item.approval_id)).toContain(envelope.approval?.approval_id);
      expect((await vote(at.anna, envelope, { vote: 'approve' })).status).toBeLessThan(300);
      const ended = await at.agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
      expect(ended.approval).toMatchObject({ status: 'granted' });
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(1);
      expect((await vote(at.anna, envelope, { vote: 'deny', reason: 'too late' })).status).toBe(409);
    });

    test('a denial ends the call, and the next request of the key needs a new approval', async () => {
      const inputs = order({ note: 'deny me' });
      const first = (await at.agent.call({ tool: 'probe_approval', inputs })).body;
      expect((await vote(at.anna, first, { vote: 'deny', reason: 'not this one' })).status).toBeLessThan(300);
      expect(await at.agent.callUntil(first.call_id, (call) => call.status !== 'pending_approval')).toMatchObject({
        status: 'denied',
        error: { code: 'POLICY_DENIED' },
      });
      const second = (await at.agent.call({ tool: 'probe_approval', inputs })).body;
      expect(second).toMatchObject({ status: 'pending_approval', deduplicated: false });
      expect(second.approval?.approval_id).not.toBe(first.approval?.approval_id);
      expect(await at.counterparty.effectsOf(first.idempotency_key)).toHaveLength(0);
    });

    test('the requester cannot approve, agents and services cannot vote, another tenant sees nothing', async () => {
      const own = await at.admin.keyFor('user', 'self-server', ['agent', 'approver']);
      const envelope = (await own.call({ tool: 'probe_approval', inputs: order() })).body;
      const self = await vote(own, envelope, { vote: 'approve' });
      expect([403, 409]).toContain(self.status);
      const service = await at.admin.keyFor('service', 'nightly-job', ['approver', 'admin']);
      for (const machine of [at.agent, service]) expect((await vote(machine, envelope, { vote: 'approve' })).status).toBe(403);
      expect((await own.readCall(envelope.call_id)).body.status).toBe('pending_approval');
    });

    test('twenty concurrent approvers give one grant and one effect', async () => {
      const approvers = await Promise.all(Array.from({ length: 20 }, (_, i) => at.admin.keyFor('user', `approver-${i}`, ['approver'])));
      const envelope = await waiting('race');
      const votes = await Promise.all(
        approvers.map((by, i) => vote(by, envelope, i % 3 === 2 ? { vote: 'deny', reason: 'no' } : { vote: 'approve' })),
      );
      expect(votes.filter((answer) => answer.status < 300).length).toBeGreaterThanOrEqual(1);
      const ended = await at.agent.callUntil(envelope.call_id, (call) => ['succeeded', 'denied'].includes(call.status));
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(ended.status === 'succeeded' ? 1 : 0);
    });

    test('a waiting call can be cancelled, and nothing happens afterwards', async () => {
      const envelope = await waiting('cancel me');
      expect((await at.agent.request('POST', `/v1/calls/${envelope.call_id}/cancel`, { reason: 'changed my mind' })).status).toBeLessThan(
        300,
      );
      await at.agent.callUntil(envelope.call_id, (call) => call.status === 'cancelled');
      expect((await vote(at.anna, envelope, { vote: 'approve' })).status).toBe(409);
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
    });

    test('a callback_url receives the end, however long people took, and nothing before it', async () => {
      const receiver = await Receiver.start();
      try {
        const envelope = (await at.agent.call({ tool: 'probe_approval', inputs: order(), callback_url: receiver.url })).body;
        expect(envelope.status).toBe('pending_approval');
        await vote(at.anna, envelope, { vote: 'approve' });
        const messages = (await receiver.received(1)).map(({ body }) => JSON.parse(body));
        expect(messages).toMatchObject([{ type: 'call.ended', data: { call_id: envelope.call_id, status: 'succeeded' } }]);
      } finally {
        await receiver.stop();
      }
    });

    test('a file deletion waits for approval, and the file goes to a trash', async () => {
      writeFileSync(path.join(at.platform.workspace, 'doomed.txt'), 'keep me');
      const envelope = (await at.agent.call({ tool: 'delete_file', inputs: { path: 'doomed.txt' } })).body;
      expect(envelope.status).toBe('pending_approval');
      expect(existsSync(path.join(at.platform.workspace, 'doomed.txt'))).toBe(true);
      await vote(at.anna, envelope, { vote: 'approve' });
      await at.agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
      expect(existsSync(path.join(at.platform.workspace, 'doomed.txt'))).toBe(false);
    });
  });
}
