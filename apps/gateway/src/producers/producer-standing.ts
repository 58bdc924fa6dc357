import { Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { type ApiKey, isUsable, producerOf } from '@countersign/domain';
import { lacksRole } from '../authentication/authenticator.js';
import type { KeyUses } from '../authentication/key-uses.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import type { ConfigurationService } from '../configuration/configuration.service.js';

/** Whose records a topic has, and whether they are taken: as an API key is judged at each request. */
export class ProducerStanding {
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

  /** Whether calls of this tenant may be those of a producer. */
  mayAnswer(tenant_id: string): boolean {
    for (const producer_id of this.producer_ids)
      if (producerOf(this.configuration.state, producer_id)?.tenant_id === tenant_id) return true;
    return false;
  }
}
