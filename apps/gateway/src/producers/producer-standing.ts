import { Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { type ApiKey, isUsable, producerOf } from '@countersign/domain';
import { lacksRole } from '../authentication/authenticator.js';
import type { KeyUses } from '../authentication/key-uses.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import type { ConfigurationService } from '../configuration/configuration.service.js';

/** Between the clocks of the gateways and the log. */
const CLOCK_DIFFERENCE_MS = 300_000;

/** Whose records a topic has, and whether they are taken: as an API key is judged at each request. */
export class ProducerStanding {
  private known: { count: number; firsts: ReadonlyMap<string, number> } = { count: 0, firsts: new Map() };

  constructor(
    private readonly configuration: Pick<ConfigurationService, 'state' | 'is_stale' | 'now_ms'>,
    private readonly uses: Pick<KeyUses, 'note'>,
  ) {}

  /** The ids of all producers, revoked ones too. */
  get producer_ids(): ReadonlySet<string> {
    return this.configuration.state.producers;
  }

  /** @throws InfrastructureFault if this gateway may lack a revocation */
  owner(producer_id: string): ApiKey {
    if (this.configuration.is_stale) throw new InfrastructureFault('this gateway has not received configuration for too long');
    const owner = producerOf(this.configuration.state, producer_id);
    if (!owner) throw new InfrastructureFault(`the configuration has no producer ${producer_id} yet`);
    return owner;
  }

  /** Why no record of the producer is taken now; undefined: they are. */
  refusal(owner: ApiKey): Refusal | undefined {
    if (!isUsable(owner, this.configuration.now_ms()))
      return new Refusal('forbidden', 'the producer is revoked or expired', { reason: 'producer_revoked' });
    this.uses.note(owner);
    return lacksRole({ principal: owner.principal }, SUBMITTERS);
  }

  /** A producer that may be answered; undefined: it is unknown, revoked or expired. */
  answered(producer_id: string): ApiKey | undefined {
    const owner = producerOf(this.configuration.state, producer_id);
    return owner && isUsable(owner, this.configuration.now_ms()) ? owner : undefined;
  }

  /** Whether a call of this tenant that ended at this time may be that of a producer. History from before its first producer is not. */
  mayAnswer(tenant_id: string, at_ms: number): boolean {
    const since_ms = this.firsts().get(tenant_id);
    return since_ms !== undefined && at_ms >= since_ms - CLOCK_DIFFERENCE_MS;
  }

  /** When each tenant got its first producer. */
  private firsts(): ReadonlyMap<string, number> {
    if (this.known.count === this.producer_ids.size) return this.known.firsts;
    const firsts = new Map<string, number>();
    for (const producer_id of this.producer_ids) {
      const { tenant_id, created_at_ms } = producerOf(this.configuration.state, producer_id) as ApiKey;
      firsts.set(tenant_id, Math.min(created_at_ms, firsts.get(tenant_id) ?? created_at_ms));
    }
    this.known = { count: this.producer_ids.size, firsts };
    return firsts;
  }
}
