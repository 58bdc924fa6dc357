import { pointer, Refusal } from '@countersign/calls';
import type { DefinitionFault } from '@countersign/domain';
import type { z } from 'zod';

const ISSUES_MAX = 200;

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

function faultsOf(issue: z.core.$ZodIssue, body: unknown): DefinitionFault[] {
  const fault = (path: readonly PropertyKey[], message: string): DefinitionFault => ({
    ...{ severity: 'fault', step: stepAt(body, path) },
    ...{ pointer: pointer(path), message },
  });
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => fault([...issue.path, key], 'there is no such field'))
    : [fault(issue.path, issue.message)];
}

/** What is refused where a definition has faults: each with its step and JSON Pointer. */
export function refusedDefinition(faults: readonly DefinitionFault[]): Refusal {
  const issues = faults.slice(0, ISSUES_MAX).map(({ step, pointer: path, message }) => ({ path, code: 'definition', message, step }));
  const [first] = faults;
  const place = first && `${first.pointer || 'the definition'}${first.step === null ? '' : ` (${first.step})`}`;
  const detail = `${place}: ${first?.message}${faults.length > 1 ? `; ${faults.length} faults in all` : ''}`;
  return new Refusal('invalid-saga-definition', detail, { layer: 'definition', issues, faults: faults.length });
}

/** What is refused where a body is no definition at all. */
export const unreadableDefinition = (issues: readonly z.core.$ZodIssue[], body: unknown): Refusal =>
  refusedDefinition(issues.flatMap((issue) => faultsOf(issue, body)));
