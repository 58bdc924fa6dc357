import { memberPointer } from '@countersign/contracts';
import { type DefinitionFault, faultAt } from '@countersign/domain';
import type { z } from 'zod';

const isNamed = (value: unknown): value is { name: string } =>
  value !== null && typeof value === 'object' && 'kind' in value && typeof (value as { name?: unknown }).name === 'string';

/** The name of the innermost block on the way to a place of a body. */
function stepAt(body: unknown, path: readonly PropertyKey[]): string | null {
  let at = body;
  let name: string | null = null;
  for (const part of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) break;
    at = (at as Record<PropertyKey, unknown>)[part];
    if (isNamed(at)) name = at.name.slice(0, 64);
  }
  return name;
}

/** Why a value is no definition: each fault with its step and its JSON Pointer. */
export function definitionIssues(issues: readonly z.core.$ZodIssue[], body: unknown): DefinitionFault[] {
  const fault = (path: readonly PropertyKey[], message: string): DefinitionFault =>
    faultAt(stepAt(body, path), path.reduce<string>(memberPointer, ''), message);
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => fault([...issue.path, key], 'there is no such field'))
      : [fault(issue.path, issue.message)],
  );
}
