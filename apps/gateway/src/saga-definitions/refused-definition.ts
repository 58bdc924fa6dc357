import { Refusal } from '@countersign/calls';
import { definitionIssues, sagaDefinition } from '@countersign/definitions';
import type { DefinitionFault } from '@countersign/domain';
import { refusedBy } from '../http/validation.pipe.js';

const ISSUES_MAX = 200;

/** What is refused where a definition has faults: each with its step and JSON Pointer. */
export function refusedDefinition(faults: readonly DefinitionFault[]): Refusal {
  const issues = faults.slice(0, ISSUES_MAX).map(({ step, pointer: path, message }) => ({ path, code: 'definition', message, step }));
  const [first] = faults;
  const place = first && `${first.pointer || 'the definition'}${first.step === null ? '' : ` (${first.step})`}`;
  const detail = `${place}: ${first?.message}${faults.length > 1 ? `; ${faults.length} faults in all` : ''}`;
  return new Refusal('invalid-saga-definition', detail, { layer: 'definition', issues, faults: faults.length });
}

/** Body of a PUT and of a check. What is no definition at all is refused with the step of each fault. */
export const definitionBody = refusedBy(sagaDefinition, (issues, body) => refusedDefinition(definitionIssues(issues, body)));
