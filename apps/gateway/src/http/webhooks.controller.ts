import { type Caller, callbackFault, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { itemNames, LOCAL_ISSUER, rolesLeft, type Webhook } from '@countersign/domain';
import { Controller, Delete, Get, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { principalId } from '../identity/principal-id.js';
import { NoticeRoom } from '../notices/notice-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

export const webhookRequest = z.strictObject({
  channel: z.enum(['webhook', 'slack', 'mail']).default('webhook'),
  url: z.string().min(1).max(2000).describe('http(s), or `mailto:` for mail'),
  types: z
    .array(z.string().regex(/^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/))
    .min(1)
    .max(50)
    .default(['approval.*']),
  description: z.string().max(500).default(''),
  state: z.enum(['active', 'disabled']).default('active'),
  acts_as: z
    .strictObject({
      id: principalId,
      roles: z.array(z.string().min(1).max(100)).min(1).max(20),
      issuer: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('the issuer of the identity provider of the person; absent: a person with a key'),
    })
    .optional()
    .describe('messages carry a link that decides as this person; whoever reads them can use it'),
});

type Body = z.infer<typeof webhookRequest>;
const MAIL = /^mailto:[^\s@,;?&%<>]+@[^\s@,;?&%<>]+$/;

interface NextWebhook {
  webhook_id: string;
  body: Body;
  known: Webhook | undefined;
  sealed: string;
}

function faceOf({ secret_sealed: _sealed, by: _by, changed_at_ms, acts_as_issuer, ...webhook }: Webhook): Record<string, unknown> {
  const acts_as = webhook.acts_as && acts_as_issuer ? { ...webhook.acts_as, issuer: acts_as_issuer } : webhook.acts_as;
  return { ...webhook, acts_as, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/webhooks`: channels that notices go to. The signing secret is shown once and kept sealed. */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly face: Face,
    private readonly room: NoticeRoom,
    private readonly configuration: ConfigurationRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => {
      const page = listed(request);
      const shown = (one: Webhook) => ({ ...faceOf(one), etag: this.etag(caller, one.webhook_id) });
      return page instanceof Refusal ? page : ok(pageOf([...this.known(caller).values()], page, (one) => one.webhook_id, shown));
    });
  }

  @Get(':webhook_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => {
      const known = this.known(caller).get(idOf(request));
      return known ? ok(faceOf(known), { etag: this.etag(caller, known.webhook_id) }) : noSuch();
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => this.put(request, caller));
  }

  @Put(':webhook_id')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => this.put(request, caller, idOf(request)));
  }

  @Delete(':webhook_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const deleted = { state: 'deleted' as const, secret_sealed: null, by: caller.principal };
      const draft = () => {
        const known = this.known(caller).get(idOf(request));
        return known ? { ...known, ...deleted, changed_at_ms: this.room.clock.now_ms() } : noSuch();
      };
      const edited = await this.edit(request, caller, idOf(request), draft);
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private etag({ tenant_id }: Caller, webhook_id: string): string {
    return this.configuration.edits.etag(tenant_id, itemNames.webhook(webhook_id));
  }

  private edit(request: HttpRequest, { tenant_id }: Caller, webhook_id: string, draft: () => Webhook | Refusal) {
    return this.configuration.edits.edit(request, { tenant_id, type: 'webhook_set', item: itemNames.webhook(webhook_id), draft });
  }

  /** `changed`: the channel that is changed; absent: a new one. */
  private async put(request: HttpRequest, caller: Caller, changed?: string): Promise<Answer | Refusal> {
    const body = parseBody(webhookRequest, request.body);
    if (body instanceof Refusal) return body;
    const fault = this.faultOf(body);
    if (fault) return new Refusal('refused-callback', fault, { issues: [{ path: '/url', code: 'refused', message: fault }] });
    if (body.acts_as && !caller.principal.roles.includes('admin'))
      return new Refusal('forbidden', 'only an admin lets a channel decide for somebody');
    const webhook_id = changed ?? uuidv7(this.room.clock.now_ms());
    const secret = this.room.secrets.mint();
    const sealed = this.room.secrets.seal(caller.tenant_id, webhook_id, secret);
    const draft = (): Webhook | Refusal => {
      const known = this.known(caller).get(webhook_id);
      if (changed !== undefined && !known) return noSuch();
      return this.notLive(caller, body) ?? this.next(caller, { webhook_id, body, known, sealed });
    };
    const edited = await this.edit(request, caller, webhook_id, draft);
    if (edited instanceof Refusal) return edited;
    const { fields, etag } = edited;
    const headers = { 'cache-control': 'no-store', location: `/v1/webhooks/${webhook_id}`, etag };
    const shown = { ...faceOf(fields), ...(fields.secret_sealed === sealed ? { secret } : {}) };
    return { status: changed === undefined ? 201 : 200, body: shown, headers };
  }

  /** A channel keeps its secret; one that needs its first gets `sealed`. */
  private next({ principal }: Caller, { webhook_id, body, known, sealed }: NextWebhook): Webhook {
    const secret_sealed = body.channel === 'webhook' ? (known?.secret_sealed ?? sealed) : null;
    const { id, roles, issuer } = body.acts_as ?? {};
    const acts_as = id !== undefined && roles ? { kind: 'user' as const, id, roles } : null;
    const acts_as_issuer = issuer === undefined || issuer === LOCAL_ISSUER ? null : issuer;
    return { webhook_id, ...body, secret_sealed, acts_as, acts_as_issuer, by: principal, changed_at_ms: this.room.clock.now_ms() };
  }

  /** A channel decides only for a person who could decide now, with each of the roles. */
  private notLive({ tenant_id }: Caller, { acts_as, state }: Body): Refusal | undefined {
    if (!acts_as || state !== 'active') return undefined;
    const { id, roles, issuer = LOCAL_ISSUER } = acts_as;
    const at = { roles, at_ms: this.room.clock.now_ms(), as: 'voter' as const };
    const left = rolesLeft(this.room.state, tenant_id, { issuer, id }, at);
    const means = issuer === LOCAL_ISSUER ? 'a key that is neither revoked nor expired' : `a recent token of ${issuer}`;
    const lacking = roles.flatMap((role, at) => (left && !left.includes(role) ? [{ role, at }] : []));
    if (left && lacking.length === 0) return undefined;
    const issues = left
      ? lacking.map(({ role, at }) => ({
          path: `/acts_as/roles/${at}`,
          code: 'not_live',
          message: `${id} has no role ${role} by ${means}`,
        }))
      : [{ path: '/acts_as/id', code: 'not_live', message: `${id} does not have ${means}` }];
    return new Refusal('invalid-request', 'a channel decides only for a person who could decide now', { issues });
  }

  private faultOf({ channel, url }: Body): string | undefined {
    if (channel !== 'mail') return callbackFault(url, this.room.addresses);
    return MAIL.test(url) ? undefined : 'a mail channel is `mailto:` and one address';
  }

  private known(caller: Caller): ReadonlyMap<string, Webhook> {
    return this.room.state.by_tenant.get(caller.tenant_id)?.webhooks ?? new Map();
  }
}

const idOf = (request: HttpRequest): string => (request.params as { webhook_id: string }).webhook_id;
const noSuch = (): Refusal => new Refusal('not-found', 'there is no webhook of this id');
