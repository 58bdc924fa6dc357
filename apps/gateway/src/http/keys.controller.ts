import { type Caller, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { type ApiKey, itemNames, keysOf, tenantOf } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { hashApiKey, mintApiKey } from '../identity/api-key.js';
import { roles } from '../identity/authenticator.js';
import { lookAlikeIssue, principalIdsOf, skeletonOf } from '../identity/look-alike.js';
import { principalId } from '../identity/principal-id.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

export const keyRequest = z.strictObject({
  tenant_id: z.string().min(1).max(100).optional().describe('absent: your own; another only for an admin of tenant `default`'),
  principal: z.strictObject({
    kind: z.enum(['agent', 'user', 'service']),
    id: principalId,
    roles: z.array(z.enum(roles)).min(1).max(roles.length),
  }),
  owner: principalId.optional().describe('principal id of the person who answers for an agent; cannot approve its calls'),
  scopes: z.array(z.string().min(1).max(200)).max(100).default([]),
  clearances: z.array(z.string().min(1).max(100)).max(100).default([]).describe('markings that it may see; `*` stands for all'),
  purposes: z.array(z.string().min(1).max(100)).max(100).optional().describe('absent: any purpose'),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function keyFace(key: ApiKey): Record<string, unknown> {
  const { key_id, tenant_id, principal, scopes, clearances, purposes } = key;
  const times = { created_at: iso(key.created_at_ms), expires_at: iso(key.expires_at_ms), revoked_at: iso(key.revoked_at_ms) };
  return { key_id, tenant_id, principal, scopes, clearances, purposes, ...times };
}

/** `/v1/keys`: API keys of a tenant. The key itself is shown once and kept nowhere. */
@Controller('v1/keys')
export class KeysController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], (caller) => {
      const page = listed(request);
      return page instanceof Refusal
        ? page
        : ok(pageOf(keysOf(this.room.configuration.state, caller.tenant_id), page, (key) => key.key_id, keyFace));
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], (caller) => this.mint(request, caller, this.room.configuration.clock));
  }

  @Delete(':key_id')
  revoke(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      const { key_id } = request.params as { key_id: string };
      const key = this.room.configuration.state.keys_by_id.get(key_id);
      if (!key || !mayManage(caller, key.tenant_id)) return new Refusal('not-found', 'there is no key of this id');
      if (key.revoked_at_ms === null) {
        const revoked_at_ms = this.room.configuration.clock.now_ms();
        await this.room.setEverywhere(request, key.tenant_id, 'api_key_revoked', { key_id, by: caller.principal, revoked_at_ms });
      }
      return { status: 204 };
    });
  }

  /** Nobody gets an id that looks like that of somebody else of the tenant: whoever reads a vote or a question goes by the id. */
  private lookAlike(tenant_id: string, { principal, owner }: z.infer<typeof keyRequest>): Refusal | undefined {
    const ids = principalIdsOf(this.room.configuration.state, tenant_id);
    const about = lookAlikeIssue('/principal/id', 'the principal', principal.id, ids);
    ids.add(principal.id);
    const owned = owner === undefined ? undefined : lookAlikeIssue('/owner', 'the principal', owner, ids);
    const issues = [about, owned].filter((issue) => issue !== undefined);
    return issues.length === 0 ? undefined : new Refusal('conflict', 'an id must not look like another one of the tenant', { issues });
  }

  private async mint(request: HttpRequest, caller: Caller, clock: Clock): Promise<Answer | Refusal> {
    const body = parseBody(keyRequest, request.body);
    if (body instanceof Refusal) return body;
    const tenantId = body.tenant_id ?? caller.tenant_id;
    if (!mayManage(caller, tenantId) || !tenantOf(this.room.configuration.state, tenantId))
      return new Refusal('not-found', 'there is no tenant of this id');
    const expires_at_ms = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    const now_ms = clock.now_ms();
    if (expires_at_ms !== null && expires_at_ms <= now_ms)
      return new Refusal('invalid-request', 'expires_at is in the past', {
        issues: [{ path: '/expires_at', code: 'past', message: 'is in the past' }],
      });
    const { principal, scopes, clearances } = body;
    const key = mintApiKey();
    const rights = { scopes, clearances, purposes: body.purposes ?? null };
    const key_id = uuidv7(now_ms);
    const skeleton = skeletonOf(principal.id);
    const who = { principal, ...rights, by: caller.principal, only_if_first: false, owner: body.owner ?? null, skeleton };
    const fields = { key_id, key_hash: hashApiKey(key), ...who, expires_at_ms, created_at_ms: now_ms };
    const item = itemNames.principal_look(skeleton);
    const against = () => (body.owner === undefined ? [] : [itemNames.principal_look(skeletonOf(body.owner))]);
    const draft = () => this.lookAlike(tenantId, body) ?? fields;
    // Nothing is edited, so no condition is read.
    const { prefer } = request.headers;
    const minted = await this.room.editEverywhere(
      { headers: { prefer } },
      { tenant_id: tenantId, type: 'api_key_set', item, against, draft },
    );
    if (minted instanceof Refusal) return minted;
    return {
      status: 201,
      body: { ...keyFace({ ...fields, tenant_id: tenantId, revoked_at_ms: null }), key },
      headers: { location: `/v1/keys/${key_id}`, 'cache-control': 'no-store' },
    };
  }
}

/** Admins manage their own tenant; those of `default` all of them. */
function mayManage(caller: Caller, tenantId: string): boolean {
  return caller.tenant_id === tenantId || caller.tenant_id === DEFAULT_TENANT;
}
