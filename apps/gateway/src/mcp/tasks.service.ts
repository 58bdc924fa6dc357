import { type Caller, type CallReading, Calls, isCallOf, Refusal } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { resultOfEnvelope } from './envelope-result.js';
import { type DetailedTask, type TaskEnvelope, taskOf } from './task-of-call.js';

/** The same answer whether or not the call exists: a task id of another principal says nothing. */
const noSuchTask = (): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found');

const unavailable = (refusal: Refusal): ProtocolError => new ProtocolError(ProtocolErrorCode.InternalError, refusal.detail);

/** Calls as tasks of the extension io.modelcontextprotocol/tasks: the id of a task is the id of its call. */
@Injectable()
export class TasksService {
  constructor(private readonly calls: Calls) {}

  /** @throws ProtocolError -32602 for a task that is not of this principal. */
  async get(caller: Caller, call_id: string): Promise<DetailedTask & { tool: string }> {
    await this.own(caller, call_id);
    const { state, envelope } = this.read(await this.calls.status({ caller, call_id }));
    const task = taskOf(state, JSON.parse(envelope) as TaskEnvelope);
    const tool = state.call?.tool ?? '';
    return task.status === 'completed' ? { ...task, tool, result: resultOfEnvelope(envelope) } : { ...task, tool };
  }

  /** Cancels the call unless it has fired: what may have happened cannot be cancelled, and the acknowledgement promises nothing. */
  async cancel(caller: Caller, call_id: string): Promise<void> {
    const state = await this.own(caller, call_id);
    if (state.started) return;
    const stopped = await this.calls.abandon({ caller, call_id }, 'the client cancelled its task', 'reads_and_unfired_writes');
    if (stopped instanceof Refusal && stopped.kind !== 'conflict') throw unavailable(stopped);
  }

  /** @throws ProtocolError -32602 for a task that is not of this principal. */
  async own(caller: Caller, call_id: string): Promise<CallState> {
    const state = await this.calls.find({ caller, call_id });
    if (state instanceof Refusal) throw state.kind === 'not-found' ? noSuchTask() : unavailable(state);
    if (!isCallOf(state, caller)) throw noSuchTask();
    return state;
  }

  private read(reading: CallReading | Refusal): CallReading {
    if (reading instanceof Refusal) throw unavailable(reading);
    return reading;
  }
}
