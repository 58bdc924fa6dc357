import type { KeptGrant } from '@countersign/domain';
import { Controller, Delete, Get, Req, Res } from '@nestjs/common';
import type { Caller } from '../identity/authenticator.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const iso = (ms: number): string => new Date(ms).toISOString();

function faceAt(now_ms: number) {
  return ({ grant, revoked }: KeptGrant): Record<string, unknown> => {
    const { from_ms, expires_at_ms, ...rest } = grant;
    const status = revoked ? 'revoked' : now_ms >= expires_at_ms ? 'expired' : 'active';
    return { ...rest, status, from_time: iso(from_ms), expires_at: iso(expires_at_ms) };
  };
}

/** `/v1/grants`: what approvers approved for similar calls. Each is a rule that everybody sees, that ends, and can be revoked. */
@Controller('v1/grants')
export class GrantsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request);
      if (page instanceof Problem) return page;
      return ok(
        pageOf([...this.known(caller).values()], page, ({ grant }) => grant.grant_id, faceAt(this.room.configuration.clock.now_ms())),
      );
    });
  }

  @Delete(':grant_id')
  revoke(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { grant_id } = request.params as { grant_id: string };
      const known = this.known(caller).get(grant_id);
      if (!known) return new Problem('not-found', 'there is no grant of this id');
      const { id, roles, kind } = caller.principal;
      const may =
        kind !== 'agent' &&
        (known.grant.granted_by.includes(id) || roles.some((role) => ['approver', 'policy_admin', 'admin'].includes(role)));
      if (!may) return new Problem('forbidden', 'this needs one of the roles approver, policy_admin');
      const change = { grant: known.grant, revoked: true, by: caller.principal, changed_at_ms: this.room.configuration.clock.now_ms() };
      await this.room.setEverywhere(caller.tenant_id, 'grant_set', change);
      return { status: 204 };
    });
  }

  private known(caller: Caller): ReadonlyMap<string, KeptGrant> {
    return this.room.configuration.state.by_tenant.get(caller.tenant_id)?.grants ?? new Map();
  }
}
