import { expect } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

let serial = 0;

/** People of a separate tenant, so that its policy affects no other test. */
export async function people(at: JourneyWorld) {
  const tenant_id = `oversight-${process.pid}-${++serial}`;
  expect((await at.admin.request('POST', '/v1/tenants', { tenant_id })).status).toBe(201);
  const key = (kind: 'agent' | 'user', id: string, roles: string[]) => at.admin.keyFor(kind, id, roles, tenant_id);
  const [admin, agent, ann, bob, clerk] = await Promise.all([
    key('user', 'root', ['admin']),
    key('agent', 'robot', ['agent']),
    key('user', 'ann', ['approver']),
    key('user', 'bob', ['approver']),
    key('user', 'clerk', ['auditor']),
  ]);
  const require = (requirement: Record<string, unknown>) =>
    admin.request('PUT', '/v1/policies/tools/probe_approval', { tier: 'tier_2_approval_required', requirement });
  return { tenant_id, admin, agent, ann, bob, clerk, key, require };
}

/** A call that waits for people. */
export async function ask(agent: Api, inputs = order(), more: Record<string, unknown> = {}): Promise<Envelope> {
  return (await agent.call({ tool: 'probe_approval', inputs, ...more })).body;
}

export function vote<T = Record<string, unknown>>(
  by: Api,
  envelope: Pick<Envelope, 'approval'>,
  body: Record<string, unknown>,
): Promise<Answer<T>> {
  return by.request<T>('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, body);
}

const OPEN = new Set(['pending_approval', 'running', 'pending_policy']);

export function ended(agent: Api, { call_id }: Envelope): Promise<Envelope> {
  return agent.callUntil(call_id, (call) => !OPEN.has(call.status));
}
