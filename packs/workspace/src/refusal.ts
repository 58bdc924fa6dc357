import { isToolError, ToolError } from '@countersign/tool-kit';

/** An input that the workspace refuses: nothing was changed. `path` is a JSON Pointer into the inputs. */
export function refused(path: string, reason: string, message: string): ToolError {
  return new ToolError('VALIDATION_ERROR', message, { class: 'validation', details: { path, reason }, effect: 'none' });
}

/** A concurrent change of the same file: nothing was changed, and a retry may succeed. */
export function conflict(path: string, message: string): ToolError {
  const details = { path, reason: 'conflict' };
  return new ToolError('PROVIDER_ERROR', message, { class: 'transient', retryable: true, details, effect: 'none' });
}

/** A missing file or folder. */
export function notFound(path: string, what: string): ToolError {
  return new ToolError('VALIDATION_ERROR', `${what} does not exist`, {
    class: 'not_found',
    details: { path, reason: 'not_found' },
    effect: 'none',
  });
}

/** Converts any thrown value to a ToolError; a file-system error keeps its code. */
export function asToolError(error: unknown, effect: 'none' | 'unknown'): ToolError {
  if (isToolError(error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') throw error;
  const details = { reason: code.toLowerCase(), syscall };
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new ToolError('PROVIDER_ERROR', `the file system denied access (${code})`, { class: 'authorization', details, effect });
  }
  if (code === 'ENOENT') return new ToolError('VALIDATION_ERROR', 'it no longer exists', { class: 'not_found', details, effect });
  const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EMFILE' || code === 'ENFILE';
  const message = full ? `the file system is full (${code})` : `the file system failed (${code})`;
  return new ToolError('PROVIDER_ERROR', message, { class: full ? 'transient' : 'server', retryable: full, details, effect });
}

/** The code of a file-system error, '' for anything else. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
