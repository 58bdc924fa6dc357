import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import type { OpenDamage } from '@countersign/domain';
import { KnownDamage } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import type { Page, PageQuery } from '../lists/page-query.js';
import type { AcceptDamageRequest, AcceptedDamage, DamageAnswer } from './damages.schemas.js';
import { SignedTrees } from './signed-trees.js';

function answerOf({ found_at_ms, ...damage }: OpenDamage): DamageAnswer {
  return { ...damage, found_at: new Date(found_at_ms).toISOString() };
}

/** Damage of a tenant's row or key belongs to that tenant; all other damage belongs to the default tenant. */
const isOf = (damage: OpenDamage, tenant_id: string): boolean => (damage.tenant_id ?? DEFAULT_TENANT) === tenant_id;

/** Records that differ from what was signed, and the decisions to accept them. */
@Injectable()
export class DamagesService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly damage: KnownDamage,
    private readonly trees: SignedTrees,
  ) {}

  list(tenant_id: string, { limit, cursor }: PageQuery): Page<DamageAnswer> {
    const found = [...this.damage.state.open.values()].filter((damage) => isOf(damage, tenant_id));
    return pageOf(found, { limit, ...(cursor ? { after: cursor } : {}) }, ({ damage_id }) => damage_id, answerOf);
  }

  /**
   * Lost records stay unproven and are not reported again. A tree that cannot be continued may start a new generation. All other damage is
   * detected again while it exists.
   */
  async accept(
    { tenant_id, principal: by }: Caller,
    { damage_ids, reason }: AcceptDamageRequest,
  ): Promise<{ at: LogPosition; answer: AcceptedDamage } | Refusal> {
    const unknown = damage_ids.find((id) => !this.isOpen(id, tenant_id));
    if (unknown !== undefined)
      return new Refusal('conflict', `this tenant has no open damage ${unknown}: it may be accepted already; list the damages again`, {
        reason: 'damage_not_open',
      });
    const named = damage_ids.flatMap((id) => this.damage.state.open.get(id) ?? []);
    const opened = await this.trees.toOpen(named);
    const decision = { damage_ids, reason, by, accepted_at_ms: this.configuration.clock.now_ms(), opened };
    const at = await this.configuration.writer.set(tenant_id, 'damage_accepted', decision);
    await this.damage.decided(at.offset);
    return { at, answer: { accepted: damage_ids, may_open: opened } };
  }

  private isOpen(damage_id: string, tenant_id: string): boolean {
    const damage = this.damage.state.open.get(damage_id);
    return damage !== undefined && isOf(damage, tenant_id);
  }
}
