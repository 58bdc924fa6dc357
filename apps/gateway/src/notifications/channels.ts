import type { Webhook } from '@countersign/domain';
import type { SealedSecrets } from '@countersign/process';
import type { CallbackSender } from '../callbacks/callback-sender.js';
import { type SendResult, unsent } from '../callbacks/send-result.js';
import type { SagaTicketAction } from '../sagas/sagas.schemas.js';
import type { DecisionLinks } from './decision-link.js';
import type { Mailer } from './mailer.js';
import type { Notification } from './notification.js';

type Send = (webhook: Webhook, notification: Notification) => Promise<SendResult>;

/** The transports of notifications: Standard Webhooks, a Slack-compatible incoming webhook, mail. */
export class Channels {
  private readonly ways: Readonly<Record<Webhook['channel'], Send>> = {
    webhook: (webhook, notification) => this.webhook(webhook, notification),
    slack: (webhook, notification) => this.slack(webhook, notification),
    mail: (webhook, notification) => this.mail(webhook, notification),
  };

  constructor(
    private readonly sender: CallbackSender,
    private readonly mailer: Mailer,
    private readonly secrets: SealedSecrets,
    private readonly links: DecisionLinks,
  ) {}

  send(webhook: Webhook, notification: Notification): Promise<SendResult> {
    return this.ways[webhook.channel](webhook, notification);
  }

  private webhook(webhook: Webhook, notification: Notification): Promise<SendResult> {
    const secret =
      webhook.secret_sealed === null ? undefined : this.secrets.open(notification.tenant_id, webhook.webhook_id, webhook.secret_sealed);
    if (secret === undefined) return Promise.resolve(unsent('refused', 'no_signing_secret'));
    const data = { ...notification.data, decision_url: this.linkOf(webhook, notification) };
    const body = JSON.stringify({ type: notification.type, timestamp: new Date(notification.timestamp_ms).toISOString(), data });
    return this.sender.sendWith(secret, { url: webhook.url, webhook_id: notification.id, body });
  }

  private slack(webhook: Webhook, notification: Notification): Promise<SendResult> {
    const link = this.linkOf(webhook, notification);
    const text = escaped(`${notification.title}\n${facts(notification).join('\n')}`);
    const section = { type: 'section', text: { type: 'mrkdwn', text } };
    const button = { type: 'button', text: { type: 'plain_text', text: 'Decide' }, url: link };
    const blocks = link === null ? [section] : [section, { type: 'actions', elements: [button] }];
    return this.sender.sendWith(null, {
      url: webhook.url,
      webhook_id: notification.id,
      body: JSON.stringify({ text: escaped(notification.title), blocks }),
    });
  }

  private mail(webhook: Webhook, notification: Notification): Promise<SendResult> {
    const link = this.linkOf(webhook, notification);
    const text = [notification.title, '', ...facts(notification), ...(link === null ? [] : ['', `Decide: ${link}`])].join('\n');
    const to = new URL(webhook.url).pathname;
    return this.mailer.send({
      to,
      subject: notification.title.replaceAll(/[\r\n]+/g, ' '),
      text,
      id: `${notification.id}.${webhook.webhook_id}`,
    });
  }

  private linkOf({ webhook_id, acts_as }: Webhook, { tenant_id, decides }: Notification): string | null {
    return decides === null || acts_as === null ? null : this.links.link({ tenant_id, webhook_id, ...decides });
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line for each fact. What may be done is a list: each line says what, and where to send which step. */
function facts({ data: { actions, ...data } }: Notification): string[] {
  const lines = Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return Array.isArray(actions) ? [...lines, ...actions.map(actionLine)] : lines;
}

function actionLine({ act, href, step_id, what }: SagaTicketAction): string {
  return `${act}: POST ${href}${step_id === null ? '' : ` with step_id ${step_id}`} (${what})`;
}
