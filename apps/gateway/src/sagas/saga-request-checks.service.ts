import { badReference, type Caller, noSuchCase, Refusal } from '@countersign/calls';
import { type Authority, canonicalText, type EventMap } from '@countersign/contracts';
import { caseOf, resolveCaseId } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type ChosenDefinition, SagaDefinitionChoice } from './saga-definition-choice.service.js';
import type { SagaIdentity } from './saga-identity.js';
import type { SagaRequest } from './saga-request.schemas.js';

/** Bytes of canonical JSON of the inputs of a saga: the orchestrator has them in memory while it runs. */
export const INPUTS_BYTES_MAX = 65_536;

export type CheckedSagaRequest = Omit<EventMap['saga_requested'], 'meta' | 'requested_at_ms'>;

/** Checks requests for new sagas, and completes their inputs and definitions. */
@Injectable()
export class SagaRequestChecks {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly definitions: SagaDefinitionChoice,
  ) {}

  async checked(
    request: SagaRequest,
    caller: Caller,
    { saga_id, chosen_by, request_digest }: SagaIdentity,
    authority: Authority,
  ): Promise<CheckedSagaRequest | Refusal> {
    const open = openDefinition(request);
    if (open) return open;
    const case_id = this.caseOf(request, caller.tenant_id);
    if (case_id instanceof Refusal) return case_id;
    const chosen = await this.definitions.of(caller, request.definition);
    if (chosen instanceof Refusal) return chosen;
    const inputs_json = this.inputs(request, chosen);
    if (inputs_json instanceof Refusal) return inputs_json;
    const deadline_at_ms = this.deadline(request);
    if (deadline_at_ms instanceof Refusal) return deadline_at_ms;
    const { published, digest, definition_json } = chosen;
    return {
      ...{ saga_id, is_repeatable: chosen_by !== 'none', request_digest, case_id },
      ...{ definition: published?.name ?? null, definition_version: published?.version ?? null, definition_digest: digest },
      ...{ definition_json: published ? null : definition_json, inputs_json, deadline_at_ms, by: caller.principal, authority },
      undoes: [],
    };
  }

  private caseOf({ case_id: given }: SagaRequest, tenant_id: string): string | null | Refusal {
    if (given === undefined) return null;
    const case_id = resolveCaseId(tenant_id, given);
    if (case_id === undefined) return badReference('/case_id');
    const found = caseOf(this.configuration.state, tenant_id, case_id);
    if (!found) return noSuchCase(given);
    return found.state === 'closed' ? new Refusal('conflict', 'the case is closed', { reason: 'case_closed' }) : case_id;
  }

  private inputs({ inputs }: SagaRequest, chosen: ChosenDefinition): string | Refusal {
    const fault = this.definitions.inputFault(chosen, inputs);
    if (fault) return fault;
    const text = canonicalText(inputs);
    const bytes = Buffer.byteLength(text);
    if (bytes <= INPUTS_BYTES_MAX) return text;
    const detail = `the inputs have ${bytes} bytes of JSON, at most ${INPUTS_BYTES_MAX} are allowed: pass large data by reference`;
    return new Refusal('invalid-inputs', detail, { layer: 'input', issues: [] });
  }

  /** The deadline of the request. Without one that of the definition counts: the orchestrator applies it. */
  private deadline({ deadline }: SagaRequest): number | null | Refusal {
    if (deadline === undefined) return null;
    const at_ms = Date.parse(deadline);
    if (at_ms > this.configuration.now_ms()) return at_ms;
    return new Refusal('deadline-passed', 'the deadline is in the past', {
      issues: [{ path: '/deadline', code: 'past', message: 'is in the past' }],
    });
  }
}

/** A definition in the request is recorded as it is, so that it goes with no data subjects. */
function openDefinition({ definition, subjects }: SagaRequest): Refusal | undefined {
  if (subjects.length === 0 || !('root' in definition || 'steps' in definition)) return undefined;
  const message = 'go only with a published definition: pass personal data as inputs, which are sealed';
  return new Refusal('invalid-request', `/subjects: ${message}`, { issues: [{ path: '/subjects', code: 'definition', message }] });
}
