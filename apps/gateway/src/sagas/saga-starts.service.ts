import { type Caller, Refusal } from '@countersign/calls';
import { tenantOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { SagaIdentities } from './saga-identities.service.js';
import { SagaLaunches } from './saga-launches.service.js';
import type { SagaRequest } from './saga-request.schemas.js';
import { SagaRequestChecks } from './saga-request-checks.service.js';
import type { StartedSaga } from './saga-start.js';

/** Who starts a saga, and how long the request waits for its end. */
export interface StartBy {
  caller: Caller;
  idempotency_key: string | undefined;
  wait_ms: number;
}

/** Starts sagas. A repeated request is answered with the saga that it started first, whatever has changed since. */
@Injectable()
export class SagaStarts {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly identities: SagaIdentities,
    private readonly checks: SagaRequestChecks,
    private readonly launches: SagaLaunches,
  ) {}

  /** @throws InfrastructureFault if the log or the store is unavailable. */
  async start(request: SagaRequest, by: StartBy): Promise<StartedSaga | Refusal> {
    const { caller, idempotency_key } = by;
    const tenant = tenantOf(this.configuration.state, caller.tenant_id);
    if (!tenant) return new Refusal('forbidden', 'the tenant does not exist', { reason: 'tenant_unknown' });
    const named = await this.identities.of(request, caller, idempotency_key);
    if (named instanceof Refusal) return named;
    const { identity, authority } = named;
    const repeated = await this.launches.repeated(identity, by);
    if (repeated) return repeated;
    const checked = await this.checks.checked(request, caller, identity, authority);
    return checked instanceof Refusal ? checked : this.launches.launch(tenant, identity, checked, { ...by, subjects: request.subjects });
  }
}
