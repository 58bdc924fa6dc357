import type { CallEnvelope } from '@countersign/client';
import { answerTo, DemoFault } from './demo-fault.js';
import type { Demonstrator } from './demo-people.js';

const ENDS_WITHIN_MS = 20_000;

/** A call of the demo; `name` makes its reference, so that a second run finds it instead of making it again. */
export interface DemoCall {
  name: string;
  tool: string;
  inputs: Record<string, unknown>;
  case_id?: string;
  rationale?: string;
}

export const reference = (name: string): string => `demo/${name}`;

/** Makes a call. @throws DemoFault if it is refused */
export async function call(by: Demonstrator, { name, rationale, ...request }: DemoCall): Promise<CallEnvelope> {
  const context = rationale === undefined ? {} : { context: { rationale } };
  const result = await by.client.call({ ...request, ...context, external_id: reference(name) } as never);
  if (result.kind === 'answered') return result.envelope;
  const why = result.kind === 'refused' ? `${result.problem.status} ${result.problem.detail ?? result.problem.title}` : 'no answer';
  throw new DemoFault(`${name}: ${why}`);
}

/** Waits until a call has ended. @throws DemoFault if that takes long */
export async function ended(by: Demonstrator, { call_id, name }: Pick<CallEnvelope, 'call_id' | 'name'>): Promise<CallEnvelope> {
  const result = await by.client.ended(call_id, ENDS_WITHIN_MS);
  if (result.kind === 'answered') return result.envelope;
  throw new DemoFault(`${name}: its end is not known`);
}

export interface DemoVote {
  vote: 'approve' | 'deny' | 'edit';
  reason?: string;
  inputs?: Record<string, unknown>;
}

/** Votes on the request of a call that waits; does nothing if the call does not wait (anymore). @returns the id of the request after it */
export async function vote(by: Demonstrator, { status, approval }: CallEnvelope, body: DemoVote): Promise<string | undefined> {
  const approval_id = (approval as { approval_id: string } | null)?.approval_id;
  if (approval_id === undefined || status !== 'pending_approval') return approval_id;
  const params = { path: { approval_id } };
  const { data, error, response } = await by.api.POST('/v1/approvals/{approval_id}/votes', { params, body: body as never });
  // 409: an earlier run of the demo voted already.
  if (response.status === 409) return approval_id;
  if (!response.ok) throw new DemoFault(`vote of ${by.id}: ${response.status} ${(error as { detail?: string } | undefined)?.detail ?? ''}`);
  return (data as { approval_id: string }).approval_id;
}

/** Opens a case, or finds the one of an earlier run. */
export async function openCase(by: Demonstrator, name: string, title: string): Promise<string> {
  const body = { title, external_id: reference(name) };
  return (await answerTo(`case ${name}`, by.api.POST('/v1/cases', { body: body as never }))).case_id;
}
