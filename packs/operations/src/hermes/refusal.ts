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

/** @throws ToolError (effect `none`) if the run was given up */
export function checkNotAborted({ signal, deadline_ms }: { signal: AbortSignal; deadline_ms: number }): void {
  if (signal.aborted || Date.now() > deadline_ms)
    throw new ToolError('CANCELLED', 'the call was given up before anything was written', { effect: 'none' });
}
