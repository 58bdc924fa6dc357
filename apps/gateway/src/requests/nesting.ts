import { pointer, Refusal } from '@countersign/calls';
import { z } from 'zod';

/** Deeper than any meaningful value, and less than the recursion limit. */
export const LEVELS_MAX = 64;
const POINTER_MAX = 200;

/** A problem with the path of a body that is nested too deeply; otherwise undefined. Visits each value once, without recursion. */
export function tooDeep(body: unknown): Refusal | undefined {
  const open: { value: unknown; path: PropertyKey[] }[] = [{ value: body, path: [] }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, path } = one;
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= LEVELS_MAX) {
      const at = pointer(path).slice(0, POINTER_MAX);
      const message = `is nested more than ${LEVELS_MAX} levels deep`;
      return new Refusal('invalid-request', `${at}: ${message}`, { issues: [{ path: at, code: 'too_deep', message }] });
    }
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' && member !== null)
        open.push({ value: member, path: [...path, Array.isArray(value) ? Number(name) : name] });
  }
  return undefined;
}

/** A body of this schema; one that is nested too deeply is refused before validation. */
export const notTooDeep = <S extends z.ZodType>(schema: S) =>
  z.preprocess((body, context) => {
    const [issue] = tooDeep(body)?.more.issues ?? [];
    if (issue) context.addIssue({ code: 'custom', params: { ...issue }, message: issue.message });
    return issue ? z.NEVER : body;
  }, schema);
