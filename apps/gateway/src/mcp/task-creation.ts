import { setTimeout as sleep } from 'node:timers/promises';
import { type CallAnswer, type Caller, type Calls, Refusal } from '@countersign/calls';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type TaskEnvelope, taskOf } from './task-of-call.js';

/** How long a task is withheld until every gateway can find it. */
const FOUND_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/** A task as the answer to `tools/call`. The SDK has no type for it. */
export type TaskResult = CallToolResult & { resultType: 'task' };

/**
 * The answer to a call that has not ended: its task, once `tasks/get` finds it on any gateway, which is when the shared views have it.
 * @throws ProtocolError if they lag too far behind; the call goes on, and an equal call joins it.
 */
export async function createdTask(
  calls: Pick<Calls, 'find'>,
  caller: Caller,
  { state, envelope }: Pick<CallAnswer, 'state' | 'envelope'>,
): Promise<TaskResult> {
  const { call_id } = state;
  for (let waited_ms = 0; ; waited_ms += LOOK_MS) {
    const found = await calls.find({ caller, call_id });
    if (!(found instanceof Refusal))
      return { resultType: 'task', ...taskOf(state, JSON.parse(envelope) as TaskEnvelope) } as unknown as TaskResult;
    if (waited_ms >= FOUND_WITHIN_MS) throw new ProtocolError(ProtocolErrorCode.InternalError, found.detail);
    await sleep(LOOK_MS);
  }
}
