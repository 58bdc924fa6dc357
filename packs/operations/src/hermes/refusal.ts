import { ToolError } from '@countersign/tool-kit';

/** A refused input: nothing was sent to the system. `path` is a JSON Pointer into the inputs of the agent. */
export function refused(path: string, reason: string, message: string, more: Record<string, unknown> = {}): ToolError {
  const details = { path, reason, issues: [{ path, message }], ...more };
  return new ToolError('VALIDATION_ERROR', `${path} ${message}`, { class: 'validation', details, effect: 'none' });
}

/** A record that the inputs name and the system does not have. */
export function notFound(path: string, id: string): ToolError {
  const message = `${JSON.stringify(id).slice(0, 100)} does not exist`;
  const details = { path, reason: 'not_found', issues: [{ path, message }] };
  return new ToolError('VALIDATION_ERROR', `${path} ${message}`, { class: 'not_found', details, effect: 'none' });
}

/** The state of a record forbids the write. */
export function conflict(reason: string, message: string, more: Record<string, unknown> = {}): ToolError {
  return new ToolError('PROVIDER_ERROR', message, { class: 'semantic', details: { reason, ...more }, effect: 'none' });
}

/** For a write that only announces another: where its answer is lost, what was to be announced is not sent. @throws always, with effect `none` */
export function announcementLost(error: unknown): never {
  const { code, message, more } = error as ToolError;
  throw more ? new ToolError(code, message, { ...more, effect: 'none' }) : error;
}

/** For a request that follows a write: that it is refused says nothing about the write. @throws always, never with effect `none` */
export function afterWrite(error: unknown): never {
  const { code, message, more } = error as ToolError;
  throw more ? new ToolError(code, message, { ...more, effect: 'unknown' }) : error;
}

/** @throws ToolError (effect `none`) if the run was given up */
export function checkNotAborted({ signal, deadline_ms }: { signal: AbortSignal; deadline_ms: number }): void {
  if (signal.aborted || Date.now() > deadline_ms)
    throw new ToolError('CANCELLED', 'the call was given up before anything was written', { effect: 'none' });
}
