import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, type TokenExchange } from '@countersign/domain';
import { actorKeySet, type TenantKeys } from '@countersign/process';
import { Controller, Delete, Get, Inject, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type HttpReply, type HttpRequest, ok, sendAnswer } from './reply.js';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
/** Where the keys of actor tokens are found in a module. */
export const TENANT_KEYS = Symbol('tenant keys');

export const tokenExchangeRequest = z.strictObject({
  token_endpoint: z.url().max(500),
  client_id: z.string().min(1).max(200),
  client_secret: z.string().regex(NAME).describe('name of the secret (workspace or org) that the client authenticates with'),
  audience: z.string().min(1).max(500),
  scopes: z.array(z.string().min(1).max(200)).max(50).default([]),
});

function exchangeFace({ changed_at_ms, ...exchange }: TokenExchange): Record<string, unknown> {
  return { ...exchange, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/token-exchanges`: which credentials of tools are had by exchanging the user's token (RFC 8693), and where. */
@Controller()
export class TokenExchangesController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    @Inject(TENANT_KEYS) private readonly keys: TenantKeys,
  ) {}

  @Get('v1/token-exchanges')
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin', 'auditor'], (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const all = this.room.configuration.state.by_tenant.get(caller.tenant_id)?.token_exchanges.values() ?? [];
      return ok(
        pageOf(
          [...all],
          page,
          ({ name }) => name,
          (one) => ({ ...exchangeFace(one), etag: this.etag(caller, one.name) }),
        ),
      );
    });
  }

  @Put('v1/token-exchanges/:name')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      const body = parseBody(tokenExchangeRequest, request.body);
      if (body instanceof Refusal) return body;
      const { name } = request.params as { name: string };
      const fault = NAME.test(name)
        ? this.room.configuration.identity_addresses.fault(body.token_endpoint)?.message
        : 'a name has letters, digits, _ . -';
      if (fault) return new Refusal('invalid-request', fault, { issues: [{ path: '/token_endpoint', code: 'refused', message: fault }] });
      const by = caller.principal;
      const draft = () => ({ ...body, name, changed_at_ms: this.room.configuration.clock.now_ms(), removed: false, by });
      const edited = await this.edit(request, caller, name, draft);
      if (edited instanceof Refusal) return edited;
      const { removed: _removed, by: _by, ...fields } = edited.fields;
      return ok(exchangeFace(fields), { etag: edited.etag });
    });
  }

  @Delete('v1/token-exchanges/:name')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      const { name } = request.params as { name: string };
      const draft = () => {
        const known = this.room.configuration.state.by_tenant.get(caller.tenant_id)?.token_exchanges.get(name);
        if (!known) return new Refusal('not-found', 'there is no token exchange of this name');
        return { ...known, by: caller.principal, changed_at_ms: this.room.configuration.clock.now_ms(), removed: true };
      };
      const edited = await this.edit(request, caller, name, draft);
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private etag({ tenant_id }: Caller, name: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.token_exchange(name));
  }

  private edit(request: HttpRequest, { tenant_id }: Caller, name: string, draft: () => ChangeFields<'token_exchange_set'> | Refusal) {
    return this.room.editEverywhere(request, { tenant_id, type: 'token_exchange_set', item: itemNames.token_exchange(name), draft });
  }

  /** Open: token endpoints check actor tokens with it. Every name has a key, so it tells nothing of which tenants there are. */
  @Get('v1/actor-keys/:tenant_id')
  actorKeys(@Req() request: HttpRequest, @Res() reply: HttpReply): void {
    sendAnswer(reply, ok(actorKeySet(this.keys, (request.params as { tenant_id: string }).tenant_id)));
  }
}
