import { type Caller, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { type Delegation, itemNames } from '@countersign/domain';
import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { principalId } from '../identity/principal-id.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';
import { VoteRoom } from './vote-room.js';

export const voteDelegationRequest = z.strictObject({
  to: principalId.describe('principal id of who votes instead of you'),
  tools: z.array(z.string().min(1).max(200)).max(100).default([]).describe('empty: all tools'),
  reason: z.string().min(1).max(500).default('out of office'),
  from_time: z.iso.datetime({ offset: true }).optional().describe('absent: now'),
  until: z.iso.datetime({ offset: true }),
});

const iso = (ms: number): string => new Date(ms).toISOString();
const faceOf = ({ from, from_ms, until_ms, changed_at_ms, by: _by, ...rest }: Delegation): Record<string, unknown> => ({
  ...rest,
  from: { id: from.id, roles: from.roles },
  from_time: iso(from_ms),
  until: iso(until_ms),
  changed_at: iso(changed_at_ms),
});

/** `/v1/vote-delegations`: out of office. Whoever is away lets somebody else vote with the roles that the absent one has now. */
@Controller('v1/vote-delegations')
export class VoteDelegationsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly votes: VoteRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request);
      return page instanceof Refusal
        ? page
        : ok(
            pageOf(
              this.known(caller),
              page,
              (one) => one.delegation_id,
              (one) => ({ ...faceOf(one), etag: this.etag(caller, one.delegation_id) }),
            ),
          );
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(voteDelegationRequest, request.body);
      if (body instanceof Refusal) return body;
      if (caller.principal.kind !== 'user') return new Refusal('forbidden', 'only a person has a vote to give');
      if (body.to === caller.principal.id) return new Refusal('invalid-request', 'name somebody else');
      const changed_at_ms = this.room.configuration.clock.now_ms();
      const from_ms = body.from_time === undefined ? changed_at_ms : Date.parse(body.from_time);
      const until_ms = Date.parse(body.until);
      if (until_ms <= Math.max(from_ms, changed_at_ms)) return new Refusal('invalid-request', '`until` is over before it begins');
      const { to, tools, reason } = body;
      const fields = {
        delegation_id: uuidv7(changed_at_ms),
        from: caller.principal,
        from_issuer: caller.issuer,
        to,
        tools,
        reason,
        from_ms,
        until_ms,
        by: caller.principal,
        changed_at_ms,
      };
      await this.votes.verified.ensure(caller);
      await this.room.setEverywhere(request, caller.tenant_id, 'delegation_set', { ...fields, ended: false });
      return {
        status: 201,
        body: faceOf(fields),
        headers: { location: `/v1/vote-delegations/${fields.delegation_id}`, etag: this.etag(caller, fields.delegation_id) },
      };
    });
  }

  @Delete(':delegation_id')
  end(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { delegation_id } = request.params as { delegation_id: string };
      const { tenant_id, principal: by } = caller;
      const draft = () => {
        const known = this.known(caller).find((one) => one.delegation_id === delegation_id);
        if (!known) return new Refusal('not-found', 'there is no delegation of this id');
        if (known.from.id !== by.id && !by.roles.includes('admin'))
          return new Refusal('forbidden', 'only who gave it, or an admin, ends it');
        return { ...known, ended: true, by, changed_at_ms: this.room.configuration.clock.now_ms() };
      };
      const item = itemNames.vote_delegation(delegation_id);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'delegation_set', item, draft });
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private etag({ tenant_id }: Caller, delegation_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.vote_delegation(delegation_id));
  }

  private known(caller: Caller): Delegation[] {
    return [...(this.room.configuration.state.by_tenant.get(caller.tenant_id)?.delegations.values() ?? [])];
  }
}
