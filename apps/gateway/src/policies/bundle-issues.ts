import type { z } from 'zod';

type ZodIssue = z.core.$ZodIssue;

/** An issue with the place that its author can mend: the unknown field itself, the fault inside the form that was meant. */
export interface PlacedIssue {
  path: readonly PropertyKey[];
  code: string;
  message: string;
}

/** The issues of a bundle: unknown fields one by one, and for a value of several forms the faults of the form that fits best. */
export function placedIssues(issues: readonly ZodIssue[], under: readonly PropertyKey[] = []): PlacedIssue[] {
  return issues.flatMap((issue): PlacedIssue[] => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], code: 'unknown_field', message: 'the field does not exist' }));
    const form = issue.code === 'invalid_union' ? meantForm(issue.errors) : undefined;
    return form ? placedIssues(form, path) : [{ path, code: issue.code, message: issue.message }];
  });
}

/** The form whose faults lie deepest: its names are right, so it is the one that was meant. Undefined if none is. */
function meantForm(forms: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | undefined {
  const byDepth = forms.map((form) => ({ form, depth: Math.min(...form.map(depthOf)) })).sort((a, b) => b.depth - a.depth);
  const [best, next] = byDepth;
  return best && best.depth > (next?.depth ?? 0) ? best.form : undefined;
}

const depthOf = ({ path }: ZodIssue): number => path.length;

export const HALF_CHARACTER = 'has half of a character (a lone surrogate): remove it';
const LONE_SURROGATE = /\p{Cs}/u;

/** Whether a text has a canonical form: rules are kept by the hash of theirs. */
export const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

/** Names each text in a parsed value that has no canonical form. */
export function refuseHalfCharacters(value: unknown, context: z.RefinementCtx, path: readonly PropertyKey[] = []): void {
  if (typeof value === 'string' && !isWellFormed(value)) context.addIssue({ code: 'custom', path: [...path], message: HALF_CHARACTER });
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value))
    refuseHalfCharacters(member, context, [...path, Array.isArray(value) ? Number(name) : name]);
}
