import { type Caller, Refusal } from '@countersign/calls';
import { grantCounter } from '@countersign/decisions';
import { type Counter, itemNames, type KeptGrant, MICRO } from '@countersign/domain';
import { countersOf } from '@countersign/store';
import { Controller, Delete, Get, Req, Res } from '@nestjs/common';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const NO_USES: ReadonlyMap<string, number> = new Map();
const sumOf = (slots: Counter['slots']): number => slots.reduce((sum, [, micro]) => sum + micro, 0);
const iso = (ms: number): string => new Date(ms).toISOString();

/** What all uses may come to, a marked amount. */
function sumsOf({ inputs, uses }: KeptGrant['grant']): { path: string; max: number; sum_max: number }[] {
  return (inputs?.amounts ?? []).map(({ path, max }) => ({ path, max, sum_max: max * uses }));
}

function faceAt(now_ms: number, used: ReadonlyMap<string, number>) {
  return ({ grant, revoked }: KeptGrant): Record<string, unknown> => {
    const { from_ms, expires_at_ms, inputs, ...rest } = grant;
    const is_void = inputs === null || grant.rules.length === 0;
    const status = revoked ? 'revoked' : now_ms >= expires_at_ms ? 'expired' : is_void ? 'void' : 'active';
    const amounts = sumsOf(grant);
    return { ...rest, amounts, used: used.get(grant.grant_id) ?? 0, status, from_time: iso(from_ms), expires_at: iso(expires_at_ms) };
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
    return this.face.serve(request, reply, [], async (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const known = [...this.known(caller).values()];
      const now_ms = this.room.configuration.clock.now_ms();
      const used = known.length === 0 ? NO_USES : await this.used(caller.tenant_id, known);
      const shown = faceAt(now_ms, used);
      const told = (kept: KeptGrant) => ({ ...shown(kept), etag: this.etag(caller, kept.grant.grant_id) });
      return ok(pageOf(known, page, ({ grant }) => grant.grant_id, told));
    });
  }

  @Delete(':grant_id')
  revoke(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { grant_id } = request.params as { grant_id: string };
      const draft = () => this.revocation(caller, grant_id);
      const { tenant_id } = caller;
      const item = itemNames.grant(grant_id);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'grant_set', item, draft });
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private revocation(caller: Caller, grant_id: string): ChangeFields<'grant_set'> | Refusal {
    const known = this.known(caller).get(grant_id);
    if (!known) return new Refusal('not-found', 'there is no grant of this id');
    const { id, roles, kind } = caller.principal;
    const may =
      kind !== 'agent' &&
      (known.grant.granted_by.includes(id) || roles.some((role) => ['approver', 'policy_admin', 'admin'].includes(role)));
    if (!may) return new Refusal('forbidden', 'this needs one of the roles approver, policy_admin');
    return { grant: known.grant, revoked: true, by: caller.principal, changed_at_ms: this.room.configuration.clock.now_ms() };
  }

  private etag({ tenant_id }: Caller, grant_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.grant(grant_id));
  }

  /** Uses of grants that calls hold or have taken, by their ids. */
  private async used(tenant_id: string, known: readonly KeptGrant[]): Promise<ReadonlyMap<string, number>> {
    const ids = new Map(known.map(({ grant }) => [grantCounter(tenant_id, grant.grant_id), grant.grant_id]));
    const rows = await countersOf(this.room.store, [...ids.keys()]);
    return new Map(rows.map(({ key, slots }) => [ids.get(key) as string, sumOf(JSON.parse(slots) as Counter['slots']) / MICRO]));
  }

  private known(caller: Caller): ReadonlyMap<string, KeptGrant> {
    return this.room.configuration.state.by_tenant.get(caller.tenant_id)?.grants ?? new Map();
  }
}
