import { type Caller, Refusal } from '@countersign/calls';
import { intersectRights, uuidv7 } from '@countersign/contracts';
import { itemNames, type UserDelegation } from '@countersign/domain';
import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { principalId } from '../identity/principal-id.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const names = z.array(z.string().min(1).max(200)).max(100);

export const delegationRequest = z.strictObject({
  agent_id: principalId.describe('the agent that may act for you'),
  scopes: names.optional().describe('absent: yours'),
  clearances: names.default([]),
  purposes: names.optional().describe('absent: yours'),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

const noSuch = (): Refusal => new Refusal('not-found', 'there is no delegation of this id');
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function delegationFace({ changed_at_ms, expires_at_ms, ...delegation }: UserDelegation): Record<string, unknown> {
  return { ...delegation, expires_at: iso(expires_at_ms), changed_at: iso(changed_at_ms) };
}

/** `/v1/delegations`: users let agents act for them. What an agent may then do is what both may. */
@Controller('v1/delegations')
export class DelegationsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      return ok(
        pageOf(
          this.mine(caller),
          page,
          ({ delegation_id }) => delegation_id,
          (one) => ({ ...delegationFace(one), etag: this.etag(caller, one.delegation_id) }),
        ),
      );
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(delegationRequest, request.body);
      if (body instanceof Refusal) return body;
      if (caller.principal.kind !== 'user') return new Refusal('forbidden', 'only a user lets an agent act for it');
      return this.write(request, caller, body);
    });
  }

  @Delete(':delegation_id')
  revoke(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { delegation_id } = request.params as { delegation_id: string };
      const { tenant_id, principal: by } = caller;
      const draft = () => {
        const known = this.mine(caller).find((one) => one.delegation_id === delegation_id);
        return known ? { ...known, by, changed_at_ms: this.room.configuration.clock.now_ms(), revoked: true } : noSuch();
      };
      const item = itemNames.user_delegation(delegation_id);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'user_delegation_set', item, draft });
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private etag({ tenant_id }: Caller, delegation_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.user_delegation(delegation_id));
  }

  /** A user's own; all of the tenant for its admins. */
  private mine(caller: Caller): UserDelegation[] {
    const all = [...(this.room.configuration.state.by_tenant.get(caller.tenant_id)?.user_delegations.values() ?? [])];
    return caller.principal.roles.includes('admin') ? all : all.filter(({ user_id }) => user_id === caller.principal.id);
  }

  private async write(request: HttpRequest, caller: Caller, body: z.infer<typeof delegationRequest>): Promise<Answer | Refusal> {
    const now_ms = this.room.configuration.clock.now_ms();
    const expires_at_ms = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    if (expires_at_ms !== null && expires_at_ms <= now_ms)
      return new Refusal('invalid-request', 'expires_at is in the past', {
        issues: [{ path: '/expires_at', code: 'past', message: 'is in the past' }],
      });
    const wanted = { scopes: body.scopes ?? null, clearances: body.clearances, purposes: body.purposes ?? null };
    const { id: user_id, roles: user_roles } = caller.principal;
    const rights = intersectRights(caller.authority, wanted);
    const fields = {
      delegation_id: uuidv7(now_ms),
      user_id,
      user_roles,
      user_issuer: caller.issuer,
      agent_id: body.agent_id,
      ...rights,
      expires_at_ms,
    };
    await this.room.setEverywhere(request, caller.tenant_id, 'user_delegation_set', {
      ...fields,
      revoked: false,
      by: caller.principal,
      changed_at_ms: now_ms,
    });
    const location = `/v1/delegations/${fields.delegation_id}`;
    return {
      status: 201,
      body: delegationFace({ ...fields, changed_at_ms: now_ms }),
      headers: { location, etag: this.etag(caller, fields.delegation_id) },
    };
  }
}
