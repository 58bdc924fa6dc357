import { expect } from 'vitest';
import type { Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';

/** A text, its subject and its kind. */
export interface Stated {
  words: string;
  subject: string;
  case_id: string;
  run_id: string;
  inputs(more: Record<string, unknown>): Record<string, unknown>;
}

/** Writes the text in every place that takes words of a person, and returns the routes that show them. */
export async function statedEverywhere(at: JourneyWorld, { words, subject, case_id, run_id, inputs }: Stated): Promise<string[]> {
  const { admin, agent, anna } = at;
  const done = async (method: string, url: string, body: unknown, by = admin) => {
    const answer = await by.request<Record<string, string>>(method, url, body);
    expect([url, answer.status < 300, JSON.stringify(answer.body)]).toEqual([url, true, expect.any(String)]);
    return answer.body;
  };
  const submit = async (amount: number): Promise<Envelope> => {
    const { body } = await agent.call({ tool: 'probe_approval', inputs: inputs({ amount }), case_id });
    expect(body.status).toBe('pending_approval');
    return body;
  };
  const titled = await done('POST', '/v1/cases', { title: `${words} title`, subjects: [subject] }, agent);
  const rated = '/v1/tools/probe_report/ratings';
  await done('POST', rated, { rating: 4, comment: `${words} comment`, subjects: [subject] }, agent);
  const run = (await agent.call({ tool: 'probe_http_effect', inputs: inputs({ note: 'run' }), case_id, context: { run_id } })).body;
  await done('POST', `/v1/calls/${run.call_id}/approval-mode`, { approval_mode: 'destructive', reason: `${words} mode` });
  const messages = [{ role: 'user', content: `${words} message` }];
  await done('PUT', `/v1/runs/${run_id}/transcript`, { prompt: `${words} prompt`, messages }, agent);
  const [cancelled, denied] = [await submit(5), await submit(6)];
  await done('POST', `/v1/calls/${cancelled.call_id}/cancel`, { reason: `${words} cancel` });
  await done('POST', `/v1/approvals/${denied.approval?.approval_id}/votes`, { vote: 'deny', reason: `${words} deny` }, anna);
  for (const { call_id } of [cancelled, denied]) {
    const ended = await agent.callUntil(call_id, ({ status }) => status === 'cancelled' || status === 'denied');
    expect(ended.error?.details).toEqual({ reason: expect.stringContaining(words) });
  }
  const doubtful = (await agent.call({ tool: 'probe_fail', inputs: inputs({ effect: 'unknown' }), case_id })).body;
  expect(doubtful.status).toBe('in_doubt');
  const resolved = { resolution: 'happened', output: { ok: true }, reason: `${words} resolve` };
  await done('POST', `/v1/calls/${doubtful.call_id}/resolve`, resolved);
  await agent.callUntil(doubtful.call_id, ({ status }) => status === 'succeeded');
  return [`/v1/cases/${titled.case_id}`, rated, `/v1/runs/${run_id}/replay-bundle`, `/v1/calls/${doubtful.call_id}`];
}

/** The forms that a text may have in bytes: unchanged, in base64 at each offset, in hexadecimal, in UTF-16. */
export function shapesOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    // The first and last characters depend on the neighbouring bytes.
    return whole.slice(offset === 0 ? 0 : offset + 1, -2).replace(/=+$/, '');
  });
  const hex = bytes.toString('hex');
  return [bytes, Buffer.from(text, 'utf16le'), ...[...base64, hex, hex.toUpperCase()].map((each) => Buffer.from(each))];
}
