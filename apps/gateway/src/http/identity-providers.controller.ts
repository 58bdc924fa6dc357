import { type Caller, Refusal } from '@countersign/calls';
import { DAY_MS, type IdentityProvider, itemNames, PEOPLE_LIVE_MS, STAND_INS_LIVE_MS } from '@countersign/domain';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { roles } from '../identity/authenticator.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const claim = z.string().min(1).max(200);
/** Only signatures that a secret of ours cannot make. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

export const identityProviderRequest = z.strictObject({
  issuer: z.url().max(500),
  audiences: z.array(z.string().min(1).max(500)).min(1).max(20).describe('a token must be for one of them'),
  jwks_uri: z.url().max(500).optional().describe('absent: found by OpenID discovery'),
  algorithms: z.array(z.enum(algorithms)).min(1).default(['RS256', 'ES256']),
  kind: z.enum(['agent', 'user', 'service']).default('user'),
  subject_claim: claim.default('sub'),
  roles_claim: claim.default('roles'),
  role_mappings: z
    .array(z.strictObject({ value: z.string().min(1).max(200), role: z.enum(roles) }))
    .max(100)
    .default([]),
  default_roles: z.array(z.enum(roles)).max(roles.length).default([]),
  scopes_claim: claim.default('scope'),
  clearances_claim: claim.default('clearances'),
  purposes_claim: claim.default('purposes'),
  people_live_ms: z
    .int()
    .min(60_000)
    .max(30 * DAY_MS)
    .default(PEOPLE_LIVE_MS)
    .describe('how long after the issue of the last verified token a person may vote with a role of it, by whatever way'),
  stand_ins_live_ms: z
    .int()
    .min(60_000)
    .max(365 * DAY_MS)
    .default(STAND_INS_LIVE_MS)
    .describe('the same for the vote that somebody else casts by a delegation of the person'),
});

const noSuch = (): Refusal => new Refusal('not-found', 'there is no identity provider of this id');
const refused = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'refused', message }] });

interface Wanted {
  provider_id: string;
  body: z.infer<typeof identityProviderRequest>;
}

function providerFace({ changed_at_ms, ...provider }: IdentityProvider): Record<string, unknown> {
  return { ...provider, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/identity-providers`: whose OpenID tokens name principals of the tenant, and how their claims are read. */
@Controller('v1/identity-providers')
export class IdentityProvidersController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin', 'auditor'], (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const all = this.room.configuration.state.by_tenant.get(caller.tenant_id)?.identity_providers.values() ?? [];
      return ok(
        pageOf(
          [...all],
          page,
          ({ provider_id }) => provider_id,
          (one) => ({ ...providerFace(one), etag: this.etag(caller, one.provider_id) }),
        ),
      );
    });
  }

  @Put(':provider_id')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      const body = parseBody(identityProviderRequest, request.body);
      if (body instanceof Refusal) return body;
      const { provider_id } = request.params as { provider_id: string };
      return this.write(request, caller, { provider_id, body });
    });
  }

  @Delete(':provider_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      const { provider_id } = request.params as { provider_id: string };
      const { tenant_id, principal: by } = caller;
      const draft = () => {
        const known = this.room.configuration.state.by_tenant.get(tenant_id)?.identity_providers.get(provider_id);
        if (!known) return noSuch();
        const { tenant_id: _tenant, ...fields } = known;
        return { ...fields, by, changed_at_ms: this.room.configuration.clock.now_ms(), removed: true };
      };
      const item = itemNames.identity_provider(provider_id);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'identity_provider_set', item, draft });
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  /**
   * A token's issuer and audience say which tenant it is for, so no two tenants may have the same pair, and none may take
   * a pair that another would want: only the installation's admins name audiences freely.
   */
  private fault(caller: Caller, provider_id: string, body: z.infer<typeof identityProviderRequest>): Refusal | undefined {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(provider_id)) return refused('/provider_id', 'an id has a-z, 0-9, _ and -');
    for (const [path, url] of [
      ['/issuer', body.issuer],
      ['/jwks_uri', body.jwks_uri],
    ] as const) {
      const fault = url === undefined ? undefined : this.room.configuration.identity_addresses.fault(url)?.message;
      if (fault) return refused(path, fault);
    }
    const own = `urn:countersign:tenant:${caller.tenant_id}`;
    if (caller.tenant_id !== DEFAULT_TENANT && body.audiences.some((audience) => audience !== own && !audience.startsWith(`${own}:`)))
      return refused('/audiences', `a tenant's own audiences begin with ${own}; an admin of tenant ${DEFAULT_TENANT} may set others`);
    const rivals = (this.room.configuration.state.providers_by_issuer.get(body.issuer) ?? []).filter(
      (known) => known.tenant_id !== caller.tenant_id || known.provider_id !== provider_id,
    );
    const taken = rivals.some((rival) => rival.audiences.some((audience) => body.audiences.includes(audience)));
    return taken ? new Refusal('conflict', 'another identity provider has this issuer and one of these audiences') : undefined;
  }

  private etag({ tenant_id }: Caller, provider_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.identity_provider(provider_id));
  }

  private async write(request: HttpRequest, caller: Caller, { provider_id, body }: Wanted): Promise<Answer | Refusal> {
    const { tenant_id, principal: by } = caller;
    const fields = { ...body, provider_id, jwks_uri: body.jwks_uri ?? null, removed: false, by };
    const draft = () => this.fault(caller, provider_id, body) ?? { ...fields, changed_at_ms: this.room.configuration.clock.now_ms() };
    const item = itemNames.identity_provider(provider_id);
    const against = () => [itemNames.issuer(body.issuer)];
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'identity_provider_set', item, against, draft });
    if (edited instanceof Refusal) return edited;
    const { by: _by, removed: _removed, ...set } = edited.fields;
    const { people_live_ms, stand_ins_live_ms } = fields;
    return ok(providerFace({ ...set, people_live_ms, stand_ins_live_ms, tenant_id }), { etag: edited.etag });
  }
}
