import { type AuthorityResolver, badReference, type Caller, isDelegated, noSuchCase, Refusal, Views } from '@countersign/calls';
import { type Authority, canonicalText, type EventMap } from '@countersign/contracts';
import { caseOf, resolveCaseId, tenantOf } from '@countersign/domain';
import type { TenantKeys } from '@countersign/process';
import { readSagaRow, type SagaRow } from '@countersign/store';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { TENANT_KEYS } from '../token-exchanges/tenant-keys.js';
import { AUTHORITY_RESOLVER } from './authority-resolver.js';
import { type ChosenDefinition, SagaDefinitionChoice } from './saga-definition-choice.service.js';
import { type SagaIdentity, sagaIdentity } from './saga-identity.js';
import { SagaLaunches } from './saga-launches.service.js';
import type { SagaRequest } from './saga-request.schemas.js';
import type { StartedSaga } from './saga-start.js';

/** Bytes of canonical JSON of the inputs of a saga: the orchestrator has them in memory while it runs. */
export const INPUTS_BYTES_MAX = 65_536;

/** Who starts a saga, and how long the request waits for its end. */
export interface StartBy {
  caller: Caller;
  idempotency_key: string | undefined;
  wait_ms: number;
}

type Request = Omit<EventMap['saga_requested'], 'meta' | 'requested_at_ms'>;

/** Starts sagas. A repeated request is answered with the saga that it started first. */
@Injectable()
export class SagaStarts {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly definitions: SagaDefinitionChoice,
    private readonly launches: SagaLaunches,
    private readonly views: Views,
    @Inject(TENANT_KEYS) private readonly keys: TenantKeys,
    @Inject(AUTHORITY_RESOLVER) private readonly authorities: AuthorityResolver,
  ) {}

  /** @throws InfrastructureFault if the log or the store is unavailable. */
  async start(request: SagaRequest, by: StartBy): Promise<StartedSaga | Refusal> {
    const { caller } = by;
    const tenant = tenantOf(this.configuration.state, caller.tenant_id);
    if (!tenant) return new Refusal('forbidden', 'the tenant does not exist', { reason: 'tenant_unknown' });
    const authority = isDelegated(request) ? await this.authorities.of(request, caller) : caller.authority;
    if (authority instanceof Refusal) return authority;
    const identity = this.identity(request, by, authority);
    if (identity instanceof Refusal) return identity;
    const known = identity.chosen_by === 'none' ? undefined : await this.known(tenant.tenant_id, identity.saga_id);
    if (known) return this.launches.repeated(identity, known, by);
    const checked = await this.checked(request, caller, identity, authority);
    return checked instanceof Refusal ? checked : this.launches.launch(tenant, identity, checked, { ...by, subjects: request.subjects });
  }

  private async known(tenant_id: string, saga_id: string): Promise<SagaRow | undefined> {
    return readSagaRow(this.views.store, tenant_id, saga_id);
  }

  private identity(request: SagaRequest, { caller, idempotency_key }: StartBy, authority: Authority): SagaIdentity | Refusal {
    const tenant_key = this.keys.tenantKey(caller.tenant_id);
    try {
      return sagaIdentity(request, { caller, idempotency_key, authority, tenant_key, now_ms: this.configuration.now_ms() });
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : 'the request is not canonical JSON';
      return new Refusal('invalid-inputs', detail, { layer: 'input', issues: [] });
    }
  }

  /** Checks a request that starts a saga. Completes its inputs and its definition. */
  private async checked(
    request: SagaRequest,
    caller: Caller,
    { saga_id, chosen_by, request_digest }: SagaIdentity,
    authority: Authority,
  ): Promise<Request | Refusal> {
    const open = openDefinition(request);
    if (open) return open;
    const case_id = this.caseOf(request, caller.tenant_id);
    if (case_id instanceof Refusal) return case_id;
    const chosen = await this.definitions.of(caller, request.definition);
    if (chosen instanceof Refusal) return chosen;
    const inputs_json = this.inputs(request, chosen);
    if (inputs_json instanceof Refusal) return inputs_json;
    const deadline_at_ms = this.deadline(request, chosen);
    if (deadline_at_ms instanceof Refusal) return deadline_at_ms;
    const { published, digest, definition_json } = chosen;
    return {
      ...{ saga_id, is_repeatable: chosen_by !== 'none', request_digest, case_id },
      ...{ definition: published?.name ?? null, definition_version: published?.version ?? null, definition_digest: digest },
      ...{ definition_json: published ? null : definition_json, inputs_json, deadline_at_ms, by: caller.principal, authority },
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

  private deadline({ deadline }: SagaRequest, { definition }: ChosenDefinition): number | null | Refusal {
    const now_ms = this.configuration.now_ms();
    if (deadline === undefined) return definition.deadline_ms === undefined ? null : now_ms + definition.deadline_ms;
    const at_ms = Date.parse(deadline);
    if (at_ms > now_ms) return at_ms;
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
