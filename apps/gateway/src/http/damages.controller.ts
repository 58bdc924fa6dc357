import { type Caller, Refusal } from '@countersign/calls';
import type { OpenDamage } from '@countersign/domain';
import { KnownDamage } from '@countersign/process';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { SignedTrees } from '../audit/signed-trees.js';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { positionText } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const acceptDamageRequest = z.strictObject({
  damage_ids: z.array(z.uuid()).min(1).max(500).describe('as `GET /v1/damages` lists them: what came meanwhile is not accepted'),
  reason: z.string().trim().min(1).max(2000).describe('what was found out and what was restored; it stays on the record'),
});

function face({ found_at_ms, ...damage }: OpenDamage): Record<string, unknown> {
  return { ...damage, found_at: new Date(found_at_ms).toISOString() };
}

/** Damage of a tenant's row or key is that tenant's; all other is the installation's. */
const isOf = ({ tenant_id }: OpenDamage, caller: Caller) => (tenant_id ?? DEFAULT_TENANT) === caller.tenant_id;

/** `/v1/damages`: places of the record that are not what was signed, and the decision to go on. */
@Controller('v1/damages')
export class DamagesController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly damage: KnownDamage,
    private readonly trees: SignedTrees,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'auditor'], async (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const found = [...this.damage.state.open.values()].filter((damage) => isOf(damage, caller));
      return ok(pageOf(found, page, ({ damage_id }) => damage_id, face));
    });
  }

  /**
   * Records that are lost stay unproven, and are not said again; a tree that cannot be continued may go on as another generation;
   * everything else that is still damaged is found again.
   */
  @Post('accept')
  @HttpCode(200)
  accept(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const body = parseBody(acceptDamageRequest, request.body);
      if (body instanceof Refusal) return body;
      const { damage_ids, reason } = body;
      const unknown = damage_ids.find((id) => !this.isOpen(id, caller));
      if (unknown !== undefined)
        return new Refusal('conflict', `there is no open damage ${unknown} of this tenant: it may be accepted already; list them again`);
      const { principal: by, tenant_id } = caller;
      const named = damage_ids.flatMap((id) => this.damage.state.open.get(id) ?? []);
      const decision = { damage_ids, reason, by, accepted_at_ms: this.room.clock.now_ms(), opened: await this.trees.toOpen(named) };
      const at = await this.room.writer.set(tenant_id, 'damage_accepted', decision);
      await this.damage.decided(at.offset);
      return ok({ accepted: damage_ids, may_open: decision.opened }, { 'countersign-position': positionText(at) });
    });
  }

  private isOpen(damage_id: string, caller: Caller): boolean {
    const damage = this.damage.state.open.get(damage_id);
    return damage !== undefined && isOf(damage, caller);
  }
}
