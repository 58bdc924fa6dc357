import { uuidv7 } from '@countersign/contracts';
import type { Webhook } from '@countersign/domain';
import { Controller, Delete, Get, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { callbackFault } from '../admission/callback-url.js';
import type { Caller } from '../identity/authenticator.js';
import { principalId } from '../identity/principal-id.js';
import { NoticeRoom } from '../notices/notice-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
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
    .strictObject({ id: principalId, roles: z.array(z.string().min(1).max(100)).min(1).max(20) })
    .optional()
    .describe('messages carry a link that decides as this person; whoever reads them can use it'),
});

type Body = z.infer<typeof webhookRequest>;
const MAIL = /^mailto:[^\s@,;?&%<>]+@[^\s@,;?&%<>]+$/;

function faceOf({ secret_sealed: _sealed, by: _by, changed_at_ms, ...webhook }: Webhook): Record<string, unknown> {
  return { ...webhook, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/webhooks`: channels that notices go to. The signing secret is shown once and kept sealed. */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly face: Face,
    private readonly room: NoticeRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => {
      const page = listed(request);
      return page instanceof Problem ? page : ok(pageOf([...this.known(caller).values()], page, (one) => one.webhook_id, faceOf));
    });
  }

  @Get(':webhook_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => {
      const known = this.known(caller).get(idOf(request));
      return known ? ok(faceOf(known)) : noSuch();
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => this.put(request, caller, undefined));
  }

  @Put(':webhook_id')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], (caller) => {
      const known = this.known(caller).get(idOf(request));
      return known ? this.put(request, caller, known) : noSuch();
    });
  }

  @Delete(':webhook_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const known = this.known(caller).get(idOf(request));
      if (!known) return noSuch();
      const deleted = {
        ...known,
        state: 'deleted' as const,
        secret_sealed: null,
        by: caller.principal,
        changed_at_ms: this.room.clock.now_ms(),
      };
      await this.room.writer.set(caller.tenant_id, 'webhook_set', deleted);
      return { status: 204 };
    });
  }

  private async put(request: HttpRequest, caller: Caller, known: Webhook | undefined): Promise<Answer | Problem> {
    const body = parseBody(webhookRequest, request.body);
    if (body instanceof Problem) return body;
    const fault = this.faultOf(body);
    if (fault) return new Problem('refused-callback', fault, { issues: [{ path: '/url', code: 'refused', message: fault }] });
    if (body.acts_as && !caller.principal.roles.includes('admin'))
      return new Problem('forbidden', 'only an admin lets a channel decide for somebody');
    const changed_at_ms = this.room.clock.now_ms();
    const webhook_id = known?.webhook_id ?? uuidv7(changed_at_ms);
    const signs = body.channel === 'webhook';
    const secret = signs && !known?.secret_sealed ? this.room.secrets.mint() : undefined;
    const sealed = secret === undefined ? (known?.secret_sealed ?? null) : this.room.secrets.seal(caller.tenant_id, webhook_id, secret);
    const acts_as = body.acts_as ? { kind: 'user' as const, ...body.acts_as } : null;
    const webhook: Webhook = { webhook_id, ...body, secret_sealed: signs ? sealed : null, acts_as, by: caller.principal, changed_at_ms };
    await this.room.writer.set(caller.tenant_id, 'webhook_set', webhook);
    const headers = { 'cache-control': 'no-store', location: `/v1/webhooks/${webhook_id}` };
    return { status: known ? 200 : 201, body: { ...faceOf(webhook), ...(secret === undefined ? {} : { secret }) }, headers };
  }

  private faultOf({ channel, url }: Body): string | undefined {
    if (channel !== 'mail') return callbackFault(url, this.room.allow_private);
    return MAIL.test(url) ? undefined : 'a mail channel is `mailto:` and one address';
  }

  private known(caller: Caller): ReadonlyMap<string, Webhook> {
    return this.room.state.by_tenant.get(caller.tenant_id)?.webhooks ?? new Map();
  }
}

const idOf = (request: HttpRequest): string => (request.params as { webhook_id: string }).webhook_id;
const noSuch = (): Problem => new Problem('not-found', 'there is no webhook of this id');
