import { type Caller, callbackFault, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { itemNames, LOCAL_ISSUER, type Webhook } from '@countersign/domain';
import { AddressRules } from '@countersign/outbound';
import { SealedSecrets } from '@countersign/process';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { Edited } from '../configuration/configuration-edits.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import type { Page, PageQuery } from '../lists/page-query.js';
import { personFault } from './acting-person.js';
import type { WebhookAnswer, WebhookRequest } from './webhooks.schemas.js';

/** Injection token of the allowed addresses of channels and callbacks (AddressRules). */
export const CALLBACK_ADDRESSES = Symbol('callback addresses');
const MAIL = /^mailto:[^\s@,;?&%<>]+@[^\s@,;?&%<>]+$/;

/** A channel with its ETag. */
export interface TaggedWebhook {
  webhook: WebhookAnswer & { secret?: string };
  etag: string;
}

interface NextWebhook {
  webhook_id: string;
  body: WebhookRequest;
  known: Webhook | undefined;
  sealed: string;
}

export const noSuchWebhook = (): Refusal => new Refusal('not-found', 'no webhook has this id', { reason: 'webhook_not_found' });

function answerOf({ secret_sealed: _sealed, by: _by, changed_at_ms, acts_as_issuer, ...webhook }: Webhook): WebhookAnswer {
  const acts_as = webhook.acts_as && acts_as_issuer ? { ...webhook.acts_as, issuer: acts_as_issuer } : webhook.acts_as;
  return { ...webhook, acts_as, changed_at: new Date(changed_at_ms).toISOString() };
}

/** The channels that receive notifications. The signing secret of a channel is shown once and stored encrypted. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly secrets: SealedSecrets,
    @Inject(CALLBACK_ADDRESSES) private readonly addresses: AddressRules,
  ) {}

  list(tenant_id: string, { limit, cursor }: PageQuery): Page<WebhookAnswer & { etag: string }> {
    const page = { limit, ...(cursor ? { after: cursor } : {}) };
    const answered = (webhook: Webhook) => ({ ...answerOf(webhook), etag: this.etag(tenant_id, webhook.webhook_id) });
    return pageOf([...this.known(tenant_id).values()], page, ({ webhook_id }) => webhook_id, answered);
  }

  read(tenant_id: string, webhook_id: string): TaggedWebhook | Refusal {
    const webhook = this.known(tenant_id).get(webhook_id);
    return webhook ? { webhook: answerOf(webhook), etag: this.etag(tenant_id, webhook_id) } : noSuchWebhook();
  }

  create(caller: Caller, body: WebhookRequest, request: ConditionalRequest): Promise<TaggedWebhook | Refusal> {
    const webhook_id = uuidv7(this.configuration.clock.now_ms());
    return this.put(caller, body, request, { webhook_id, is_new: true });
  }

  change(caller: Caller, webhook_id: string, body: WebhookRequest, request: ConditionalRequest): Promise<TaggedWebhook | Refusal> {
    return this.put(caller, body, request, { webhook_id, is_new: false });
  }

  remove({ tenant_id, principal }: Caller, webhook_id: string, request: ConditionalRequest): Promise<Edited<'webhook_set'> | Refusal> {
    const deleted = { state: 'deleted' as const, secret_sealed: null, by: principal };
    return this.edit(tenant_id, webhook_id, request, () => {
      const webhook = this.known(tenant_id).get(webhook_id);
      return webhook ? { ...webhook, ...deleted, changed_at_ms: this.configuration.clock.now_ms() } : noSuchWebhook();
    });
  }

  private async put(
    caller: Caller,
    body: WebhookRequest,
    request: ConditionalRequest,
    { webhook_id, is_new }: { webhook_id: string; is_new: boolean },
  ): Promise<TaggedWebhook | Refusal> {
    const refused = this.addressFault(body) ?? actsForOthers(caller, body);
    if (refused) return refused;
    const { tenant_id } = caller;
    const secret = this.secrets.mint();
    const sealed = this.secrets.seal(tenant_id, webhook_id, secret);
    const draft = (): Webhook | Refusal => {
      const known = this.known(tenant_id).get(webhook_id);
      if (!is_new && !known) return noSuchWebhook();
      const fault = personFault(this.configuration.state, tenant_id, body, this.configuration.clock.now_ms());
      return fault ?? this.next(caller, { webhook_id, body, known, sealed });
    };
    const edited = await this.edit(tenant_id, webhook_id, request, draft);
    if (edited instanceof Refusal) return edited;
    const { fields, etag } = edited;
    return { webhook: { ...answerOf(fields), ...(fields.secret_sealed === sealed ? { secret } : {}) }, etag };
  }

  /** Builds the next version. A channel keeps its secret; a channel without one gets `sealed`. */
  private next({ principal }: Caller, { webhook_id, body, known, sealed }: NextWebhook): Webhook {
    const secret_sealed = body.channel === 'webhook' ? (known?.secret_sealed ?? sealed) : null;
    const { id, roles, issuer } = body.acts_as ?? {};
    const acts_as = id !== undefined && roles ? { kind: 'user' as const, id, roles } : null;
    const acts_as_issuer = issuer === undefined || issuer === LOCAL_ISSUER ? null : issuer;
    const changed_at_ms = this.configuration.clock.now_ms();
    return { webhook_id, ...body, secret_sealed, acts_as, acts_as_issuer, by: principal, changed_at_ms };
  }

  private addressFault({ channel, url }: WebhookRequest): Refusal | undefined {
    const isMail = channel === 'mail';
    const mailFault = MAIL.test(url) ? undefined : 'the url of a mail channel must be `mailto:` and one address';
    const message = isMail ? mailFault : callbackFault(url, this.addresses);
    return message === undefined
      ? undefined
      : new Refusal('refused-callback', message, { issues: [{ path: '/url', code: 'refused', message }] });
  }

  private known(tenant_id: string): ReadonlyMap<string, Webhook> {
    return this.configuration.state.by_tenant.get(tenant_id)?.webhooks ?? new Map();
  }

  private etag(tenant_id: string, webhook_id: string): string {
    return this.configuration.edits.etag(tenant_id, itemNames.webhook(webhook_id));
  }

  private edit(tenant_id: string, webhook_id: string, request: ConditionalRequest, draft: () => Webhook | Refusal) {
    return this.configuration.edits.edit(request, { tenant_id, type: 'webhook_set', item: itemNames.webhook(webhook_id), draft });
  }
}

const actsForOthers = ({ principal }: Caller, { acts_as }: WebhookRequest): Refusal | undefined =>
  acts_as && !principal.roles.includes('admin')
    ? new Refusal('forbidden', 'only admins can set `acts_as` on a channel', { reason: 'role_missing' })
    : undefined;
