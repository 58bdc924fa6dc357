/** A reason of the platform is a code (`step_failed`): in words. What a person wrote stays as it is. */
export const reasonText = (reason: string): string => (/^[a-z]+(_[a-z]+)*$/.test(reason) ? `Why: ${reason.replaceAll('_', ' ')}` : reason);

/** Code and message of a recorded CallError; undefined for none. */
export function errorText(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const parts = [code, message].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}
