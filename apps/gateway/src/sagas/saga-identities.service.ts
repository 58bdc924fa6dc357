import { type AuthorityResolver, type Caller, isDelegated, Refusal } from '@countersign/calls';
import type { Authority } from '@countersign/contracts';
import type { TenantKeys } from '@countersign/process';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { TENANT_KEYS } from '../token-exchanges/tenant-keys.js';
import { AUTHORITY_RESOLVER } from './authority-resolver.js';
import { type SagaIdentity, sagaIdentity } from './saga-identity.js';
import type { SagaRequest } from './saga-request.schemas.js';

/** Finds out which saga a request is about, and with whose rights its steps are called. */
@Injectable()
export class SagaIdentities {
  constructor(
    private readonly configuration: ConfigurationService,
    @Inject(TENANT_KEYS) private readonly keys: TenantKeys,
    @Inject(AUTHORITY_RESOLVER) private readonly authorities: AuthorityResolver,
  ) {}

  async of(
    request: SagaRequest,
    caller: Caller,
    idempotency_key: string | undefined,
  ): Promise<{ identity: SagaIdentity; authority: Authority } | Refusal> {
    const authority = isDelegated(request) ? await this.authorities.of(request, caller) : caller.authority;
    if (authority instanceof Refusal) return authority;
    const terms = { caller, idempotency_key, authority, tenant_key: this.keys.tenantKey(caller.tenant_id) };
    const identity = named(request, { ...terms, now_ms: this.configuration.now_ms() });
    return identity instanceof Refusal ? identity : { identity, authority };
  }
}

function named(request: SagaRequest, terms: Parameters<typeof sagaIdentity>[1]): SagaIdentity | Refusal {
  try {
    return sagaIdentity(request, terms);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : 'the request is not canonical JSON';
    return new Refusal('invalid-inputs', detail, { layer: 'input', issues: [] });
  }
}
