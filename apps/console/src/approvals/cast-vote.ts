import { type Problem, problemOf, UNREACHABLE, UnreachableError } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';
import type { VoteBody, VotedApproval } from './approval.js';

/** What a refusal of a vote says about the request. */
export type VoteProblem = Problem & { approval_status?: string; decided_by?: string | null; decided_at?: string | null; refusal?: string };

/** `is_judged: false`: the vote is recorded, and policy has not decided on it yet. */
export type CastAnswer = { ok: true; approval: VotedApproval; is_judged: boolean } | { ok: false; problem: VoteProblem };

/**
 * Sends a vote. The request leaves before this function first waits, so that a page that is being closed can call it: `keepalive` lets
 * the browser finish it.
 */
export async function castVote(gateway: Gateway, approval_id: string, body: VoteBody, keepalive = false): Promise<CastAnswer> {
  const request = new Request(`/v1/approvals/${encodeURIComponent(approval_id)}/votes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
    redirect: 'manual',
    keepalive,
  });
  try {
    const response = await gateway.send(request);
    const json = (await response.json().catch(() => undefined)) as unknown;
    if (response.ok) return { ok: true, approval: json as VotedApproval, is_judged: response.status !== 202 };
    return { ok: false, problem: problemOf(response, json) };
  } catch (cause) {
    if (cause instanceof UnreachableError) return { ok: false, problem: UNREACHABLE };
    throw cause;
  }
}
