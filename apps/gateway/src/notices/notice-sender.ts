import type { ConfigurationState, Webhook } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Channels } from './channels.js';
import { type Notice, wants } from './notice.js';

/** Waits before the second and later attempts, ms: about four hours in all. */
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];
const SENDING_MAX = 32;
const WAITING_MAX = 10_000;
/** Older ones are not told any more: a new group starts at the beginning of the log. */
const AGE_MAX_MS = 24 * 3_600_000;

interface Delivery {
  notice: Notice;
  webhook_id: string;
  attempt: number;
  done: () => void;
}

export interface SenderParts {
  state(): ConfigurationState;
  channels: Pick<Channels, 'tell'>;
  /** The receiver is gone (410): nothing more is sent there. */
  disable(tenant_id: string, webhook: Webhook): Promise<void>;
  now_ms(): number;
  logger: Logger;
}

/**
 * Tells each notice to every channel of its tenant that wants it: at least once, under one id, with growing pauses, at
 * most 32 at a time. Whoever hands one in learns when every channel has it (or is given up), and keeps its place till then.
 */
export class NoticeSender {
  private readonly waiting: Delivery[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private sending = 0;
  private closed = false;
  private room: (() => void)[] = [];

  constructor(private readonly parts: SenderParts) {}

  /** Calls `done` once nothing of it is outstanding. */
  tell(notice: Notice, done: () => void): void {
    const webhooks = [...(this.parts.state().by_tenant.get(notice.tenant_id)?.webhooks.values() ?? [])].filter(
      ({ state, types }) => state === 'active' && wants(types, notice.type),
    );
    if (webhooks.length === 0 || notice.timestamp_ms < this.parts.now_ms() - AGE_MAX_MS) {
      done();
      return;
    }
    let left = webhooks.length;
    const one = () => {
      if (--left === 0) done();
    };
    for (const { webhook_id } of webhooks) this.waiting.push({ notice, webhook_id, attempt: 0, done: one });
    this.next();
  }

  /** Resolves when few enough wait: until then nothing more is read. */
  async hasRoom(): Promise<void> {
    while (this.waiting.length + this.timers.size > WAITING_MAX && !this.closed)
      await new Promise<void>((resolve) => this.room.push(resolve));
  }

  /** What is outstanding is told after the next start. */
  close(): void {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.waiting.length = 0;
    this.wake();
  }

  private next(): void {
    while (this.sending < SENDING_MAX && !this.closed) {
      const delivery = this.waiting.shift();
      if (!delivery) return;
      this.sending++;
      void this.deliver(delivery).finally(() => {
        this.sending--;
        this.wake();
        this.next();
      });
    }
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const { notice, webhook_id } = delivery;
    const webhook = this.parts.state().by_tenant.get(notice.tenant_id)?.webhooks.get(webhook_id);
    if (webhook?.state !== 'active') return delivery.done();
    try {
      const taken = await this.parts.channels.tell(webhook, notice);
      if (this.closed) return;
      if (taken === 'try_again') return this.again(delivery, webhook);
      if (taken === 'refused') {
        this.parts.logger.warn({ webhook_id, type: notice.type }, 'a channel refused a notice');
        if (webhook.channel !== 'mail') await this.parts.disable(notice.tenant_id, webhook);
      }
      delivery.done();
    } catch (cause) {
      this.parts.logger.warn({ webhook_id, cause: String(cause) }, 'a notice could not be sent');
      this.again(delivery, webhook);
    }
  }

  private again(delivery: Delivery, webhook: Webhook): void {
    const pause = BACK_OFF_MS[delivery.attempt];
    if (this.closed) return;
    if (pause === undefined) {
      this.parts.logger.warn(
        { webhook_id: webhook.webhook_id, type: delivery.notice.type },
        'a notice was given up: its channel does not answer',
      );
      delivery.done();
      return;
    }
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.waiting.push({ ...delivery, attempt: delivery.attempt + 1 });
      this.next();
    }, pause);
    timer.unref();
    this.timers.add(timer);
  }

  private wake(): void {
    const { room } = this;
    this.room = [];
    for (const resolve of room) resolve();
  }
}
