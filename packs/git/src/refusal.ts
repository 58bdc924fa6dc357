import { ToolError } from '@countersign/tool-kit';

/** A refused input: nothing was changed. `path` is a JSON Pointer into the inputs. */
export function refused(path: string, reason: string, message: string, more: Record<string, unknown> = {}): ToolError {
  return new ToolError('VALIDATION_ERROR', message, { class: 'validation', details: { path, reason, ...more }, effect: 'none' });
}

/** A missing object. */
export function notFound(path: string, what: string): ToolError {
  return new ToolError('VALIDATION_ERROR', `${what} does not exist`, {
    class: 'not_found',
    details: { path, reason: 'not_found' },
    effect: 'none',
  });
}

/** The state of the repository forbids the call, whatever the inputs. */
export function conflict(reason: string, message: string, more: Record<string, unknown> = {}): ToolError {
  return new ToolError('PROVIDER_ERROR', message, { class: 'semantic', details: { reason, ...more }, effect: 'none' });
}
