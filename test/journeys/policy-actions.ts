import { expect } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

let serial = 0;

export interface Decision {
  effect: string;
  rule: string;
  bundle_version: string;
  rules_matched?: string[];
  tags?: string[];
  shadow?: { effect: string; rule: string };
  facts?: { table: string; version: number }[];
}
export interface Instances {
  config_offset: number;
  instances: { instance_id: string; service: string; has_it: boolean }[];
}

export const WAIT = { prefer: 'wait=20' };
export const decisionOf = ({ body }: Answer<Envelope>): Decision => body.decision as unknown as Decision;

/** Actions of journeys about policies: create an agent, publish and activate a bundle, and make a call to test it. */
export function policyActions(at: JourneyWorld) {
  const fresh = async (): Promise<[Api, string]> => {
    const name = `ruled-${process.pid}-${++serial}`;
    return [await at.admin.keyFor('agent', name, ['agent']), name];
  };
  const publish = async (rules: object[], more: object = {}) => {
    const answer = await at.admin.request<{ version: string; digest: string }>('POST', '/v1/policies', { rules, ...more });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
    return answer.body.version;
  };
  const activate = async (version: string | null, shadow: string | null = null) => {
    const { status, body } = await at.admin.request<Instances>('PUT', '/v1/policies/active', { version, shadow });
    expect({ status, late: body.instances?.filter(({ has_it }) => !has_it) }).toEqual({ status: 200, late: [] });
    return body;
  };
  const ruled = async (rules: object[], more: object = {}) => activate(await publish(rules, more));
  const effect = (by: Api, tool: string, more: Record<string, unknown> = {}) => by.call({ tool, inputs: order(more) }, WAIT);
  const facts = (table: string, rows: unknown) => at.admin.request('PUT', `/v1/facts/${table}`, { rows });
  /** The kinds of security events about a call. */
  const alarms = async (call_id: string): Promise<string[]> => {
    const query = `type=security_event_recorded&call_id=${call_id}`;
    const { body } = await at.admin.request<{ items: { event_id: string }[] }>('GET', `/v1/audit/events?${query}`);
    const read = ({ event_id }: { event_id: string }) =>
      at.admin.request<{ event: { kind: string } }>('GET', `/v1/audit/events/${event_id}`);
    return (await Promise.all(body.items.map(read))).map((answer) => answer.body.event.kind);
  };
  return { alarms, fresh, publish, activate, ruled, effect, facts };
}
