import { memberPointer } from '@countersign/contracts';
/** One step of an RFC 6902 patch. */
export interface PatchStep {
  op: 'add' | 'remove' | 'replace';
  path: string;
  value?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The patch from one JSON value to another: members of objects are compared one by one, everything else as a whole. */
export function jsonDiff(before: unknown, after: unknown, path = ''): PatchStep[] {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ op: 'replace', path, value: after }];
  }
  const steps: PatchStep[] = [];
  for (const name of Object.keys(before).sort()) {
    const at = memberPointer(path, name);
    if (Object.hasOwn(after, name)) steps.push(...jsonDiff(before[name], after[name], at));
    else steps.push({ op: 'remove', path: at });
  }
  for (const name of Object.keys(after).sort())
    if (!Object.hasOwn(before, name)) steps.push({ op: 'add', path: memberPointer(path, name), value: after[name] });
  return steps;
}
