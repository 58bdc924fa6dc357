import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from '@countersign/calls';
import { type ConfigurationState, LOCAL_ISSUER, rolesLeft, type Webhook } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Channels } from './channels.js';
import { type Notice, wants } from './notice.js';
import type { NoticeClaims } from './notice-claims.js';

/** Waits before the second and later attempts, ms: about four hours in all. */
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];
/** Longer than any channel takes to answer, ms. */
const CLAIMED_FOR_MS = 60_000;
/** Who pauses longer than this may be succeeded meanwhile, ms. */
const PAUSE_CLAIMED_MAX_MS = 120_000;
/** How often it is looked whether another gateway has told it, ms. */
const LOOK_AGAIN_MS = 2_000;
const CLOSE_WITHIN_MS = 1_000;
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
  claims: NoticeClaims;
  /** What is sealed in a notice is opened when it is sent, each time. */
  readable: Pick<Readable, 'value'>;
  /** The receiver is gone (410): nothing more is sent there. */
  disable(tenant_id: string, webhook: Webhook): Promise<void>;
  now_ms(): number;
  logger: Logger;
}

/**
 * Tells each notice to every channel of its tenant that wants it, under one id, with growing pauses, at most 32 at a time.
 * One gateway tells it, once; only where that one dies between the channel's answer and its own note of it, another tells
 * it again. Whoever hands one in learns when every channel has it (or is given up), and keeps its place till then.
 */
export class NoticeSender {
  private readonly waiting: Delivery[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly under_way = new Set<Promise<void>>();
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

  /** What is outstanding is told by others, or after the next start. */
  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.waiting.length = 0;
    this.wake();
    const ended = Promise.all(this.under_way).then(() => this.parts.claims.release());
    await Promise.race([ended.catch(() => undefined), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  private next(): void {
    while (this.sending < SENDING_MAX && !this.closed) {
      const delivery = this.waiting.shift();
      if (!delivery) return;
      this.sending++;
      const sent = this.deliver(delivery).finally(() => {
        this.sending--;
        this.under_way.delete(sent);
        this.wake();
        this.next();
      });
      this.under_way.add(sent);
    }
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const { notice, webhook_id } = delivery;
    const webhook = this.channel(notice.tenant_id, webhook_id);
    if (webhook?.state !== 'active') return delivery.done();
    try {
      const claim = await this.parts.claims.claim({ notice_id: notice.id, webhook_id }, CLAIMED_FOR_MS);
      if (claim === 'settled') delivery.done();
      else if (claim === 'others') this.later(delivery, LOOK_AGAIN_MS);
      else await this.send(delivery, webhook);
    } catch (cause) {
      this.parts.logger.warn({ webhook_id, cause: String(cause) }, 'a notice could not be sent');
      await this.again(delivery, webhook);
    }
  }

  private channel(tenant_id: string, webhook_id: string): Webhook | undefined {
    return this.parts.state().by_tenant.get(tenant_id)?.webhooks.get(webhook_id);
  }

  private async send(delivery: Delivery, webhook: Webhook): Promise<void> {
    const { notice } = delivery;
    const { webhook_id, channel } = webhook;
    const readable = await this.parts.readable.value(notice.tenant_id, notice);
    const taken = await this.parts.channels.tell(webhook, this.withLiveLink(webhook, readable));
    // An address that was edited meanwhile refused it: the channel has not.
    const is_edited = this.channel(notice.tenant_id, webhook_id) !== webhook;
    if (taken === 'try_again' || (taken === 'refused' && is_edited)) return this.again(delivery, webhook);
    await this.parts.claims.settle({ notice_id: notice.id, webhook_id });
    if (this.closed) return;
    if (taken === 'refused') {
      this.parts.logger.warn({ webhook_id, type: notice.type }, 'a channel refused a notice');
      if (channel !== 'mail') await this.parts.disable(notice.tenant_id, webhook);
    }
    delivery.done();
  }

  /** A link goes only to a channel whose person could use it now. */
  private withLiveLink({ acts_as, acts_as_issuer }: Webhook, notice: Notice): Notice {
    if (!acts_as || notice.decides === null) return notice;
    const who = { issuer: acts_as_issuer ?? LOCAL_ISSUER, id: acts_as.id };
    const at = { roles: acts_as.roles, at_ms: this.parts.now_ms(), as: 'voter' as const };
    return rolesLeft(this.parts.state(), notice.tenant_id, who, at)?.length ? notice : { ...notice, decides: null };
  }

  private async again(delivery: Delivery, { webhook_id }: Webhook): Promise<void> {
    const { notice, attempt } = delivery;
    const pause = BACK_OFF_MS[attempt];
    if (this.closed) return;
    const place = { notice_id: notice.id, webhook_id };
    if (pause === undefined) {
      this.parts.logger.warn({ webhook_id, type: notice.type }, 'a notice was given up: its channel does not answer');
      await this.parts.claims.settle(place).catch(() => undefined);
      return delivery.done();
    }
    this.later({ ...delivery, attempt: attempt + 1 }, pause);
    await this.parts.claims.claim(place, Math.min(pause, PAUSE_CLAIMED_MAX_MS) + CLAIMED_FOR_MS).catch(() => undefined);
  }

  private later(delivery: Delivery, pause_ms: number): void {
    if (this.closed) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.waiting.push(delivery);
      this.next();
    }, pause_ms);
    timer.unref();
    this.timers.add(timer);
  }

  private wake(): void {
    const { room } = this;
    this.room = [];
    for (const resolve of room) resolve();
  }
}
