import type { Taken } from '@countersign/calls';
import type { Webhook } from '@countersign/domain';
import type { CallbackSender } from '../callbacks/callback-sender.js';
import type { DecisionLinks } from './decision-link.js';
import type { Mailer } from './mailer.js';
import type { Notice } from './notice.js';
import type { SealedSecrets } from './sealed-secret.js';

type Tell = (webhook: Webhook, notice: Notice) => Promise<Taken>;

/** The ways a notice is told: Standard Webhooks, a Slack-shaped incoming webhook, mail. */
export class Channels {
  private readonly ways: Readonly<Record<Webhook['channel'], Tell>> = {
    webhook: (webhook, notice) => this.webhook(webhook, notice),
    slack: (webhook, notice) => this.slack(webhook, notice),
    mail: (webhook, notice) => this.mail(webhook, notice),
  };

  constructor(
    private readonly sender: CallbackSender,
    private readonly mailer: Mailer,
    private readonly secrets: SealedSecrets,
    private readonly links: DecisionLinks,
  ) {}

  tell(webhook: Webhook, notice: Notice): Promise<Taken> {
    return this.ways[webhook.channel](webhook, notice);
  }

  private webhook(webhook: Webhook, notice: Notice): Promise<Taken> {
    const secret =
      webhook.secret_sealed === null ? undefined : this.secrets.open(notice.tenant_id, webhook.webhook_id, webhook.secret_sealed);
    if (secret === undefined) return Promise.resolve('refused');
    const data = { ...notice.data, decision_url: this.linkOf(webhook, notice) };
    const body = JSON.stringify({ type: notice.type, timestamp: new Date(notice.timestamp_ms).toISOString(), data });
    return this.sender.sendWith(secret, { url: webhook.url, webhook_id: notice.id, body });
  }

  private slack(webhook: Webhook, notice: Notice): Promise<Taken> {
    const link = this.linkOf(webhook, notice);
    const text = escaped(`${notice.title}\n${facts(notice).join('\n')}`);
    const section = { type: 'section', text: { type: 'mrkdwn', text } };
    const button = { type: 'button', text: { type: 'plain_text', text: 'Decide' }, url: link };
    const blocks = link === null ? [section] : [section, { type: 'actions', elements: [button] }];
    return this.sender.sendWith(null, {
      url: webhook.url,
      webhook_id: notice.id,
      body: JSON.stringify({ text: escaped(notice.title), blocks }),
    });
  }

  private mail(webhook: Webhook, notice: Notice): Promise<Taken> {
    const link = this.linkOf(webhook, notice);
    const text = [notice.title, '', ...facts(notice), ...(link === null ? [] : ['', `Decide: ${link}`])].join('\n');
    const to = new URL(webhook.url).pathname;
    return this.mailer.send({ to, subject: notice.title.replaceAll(/[\r\n]+/g, ' '), text, id: `${notice.id}.${webhook.webhook_id}` });
  }

  private linkOf({ webhook_id, acts_as }: Webhook, { tenant_id, decides }: Notice): string | null {
    return decides === null || acts_as === null ? null : this.links.link({ tenant_id, webhook_id, ...decides });
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function facts({ data }: Notice): string[] {
  return Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
