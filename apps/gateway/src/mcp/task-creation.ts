import { setTimeout as sleep } from 'node:timers/promises';
import { type CallAnswer, type Caller, type Calls, Refusal } from '@countersign/calls';
import { newestFactMs } from '@countersign/domain';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type TaskEnvelope, taskOf } from './task-of-call.js';

/** How long a task is withheld until every gateway can find it. */
const FOUND_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/** A task as the answer to `tools/call`. The SDK has no type for it. */
export type TaskResult = CallToolResult & { resultType: 'task' };

const taskResult = ({ state, envelope }: Pick<CallAnswer, 'state' | 'envelope'>): TaskResult =>
  ({ resultType: 'task', ...taskOf(state, JSON.parse(envelope) as TaskEnvelope) }) as unknown as TaskResult;

/**
 * The answer to a call that has not ended: its task, once `tasks/get` finds it on any gateway, which is when the shared views have it.
 * @throws ProtocolError if they lag too far behind; the call goes on, and an equal call joins it.
 */
export async function createdTask(
  calls: Pick<Calls, 'status'>,
  caller: Caller,
  answer: Pick<CallAnswer, 'state' | 'envelope'>,
): Promise<TaskResult> {
  const { call_id } = answer.state;
  const until_ms = performance.now() + FOUND_WITHIN_MS;
  for (;;) {
    const found = await calls.status({ caller, call_id });
    if (!(found instanceof Refusal)) return taskResult(newestFactMs(found.state) < newestFactMs(answer.state) ? answer : found);
    if (performance.now() > until_ms) throw new ProtocolError(ProtocolErrorCode.InternalError, found.detail);
    await sleep(LOOK_MS);
  }
}
