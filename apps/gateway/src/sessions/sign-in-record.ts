import type { Caller } from '@countersign/calls';
import { DEFAULT_TENANT, firstMeta } from '@countersign/contracts';
import { type AppDeps, securityRecord } from '@countersign/process';
import type { RefusedRequests } from '../authentication/refused-requests.js';

/** Records who signed in and which attempts were refused, as security events. */
export class SignInRecord {
  constructor(
    private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'clock'>,
    private readonly refusals: Pick<RefusedRequests, 'noteSignIn'>,
  ) {}

  /** Resolves when the record is on the log; the session starts only then. @throws InfrastructureFault */
  async signedIn({ tenant_id, principal }: Caller, detail: string): Promise<void> {
    const recorded_at_ms = this.parts.clock.now_ms();
    const event = { meta: firstMeta(tenant_id, recorded_at_ms), kind: 'signed_in', detail, principal, recorded_at_ms };
    await this.parts.log.append([securityRecord(this.parts.codec, tenant_id, event)]);
  }

  /** `whose`: the tenant, or tenant and person, of the credential, if they are known. Equal refusals of a second share one record. */
  refused(detail: string, whose?: string | Pick<Caller, 'tenant_id' | 'principal'>): void {
    if (typeof whose === 'string') this.refusals.noteSignIn(whose, null, detail);
    else this.refusals.noteSignIn(whose?.tenant_id ?? DEFAULT_TENANT, whose?.principal ?? null, detail);
  }
}
