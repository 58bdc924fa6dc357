import type { EventMap } from '@countersign/contracts';
import { grantsOfTenant } from '@countersign/domain';
import type { EventBatch, LogContext, Recorded, RequeuedRecords } from '@countersign/event-log';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { Notification } from './notification.js';
import type { NotificationSender } from './notification-sender.js';
import { notificationOf } from './notification-sources.js';
import { ReadPlace } from './read-places.js';
import type { SagaNotificationDetails } from './saga-notification-details.js';

const POLICY = { kind: 'service' as const, id: 'policy', roles: [] };

/**
 * Consumes policy decisions in a consumer group: sends notifications, and writes granted 'approve similar' grants to the configuration.
 * Only the gateway writes configuration.
 */
export class NotificationReader {
  private readonly places = new Map<string, ReadPlace>();

  constructor(
    private readonly sender: NotificationSender,
    private readonly configuration: Pick<ConfigurationService, 'state' | 'writer' | 'clock'>,
    private readonly sagas: Pick<SagaNotificationDetails, 'complete'>,
    private readonly requeued: Pick<RequeuedRecords, 'eventOf'>,
  ) {}

  async read(batch: EventBatch, context: LogContext): Promise<void> {
    await this.sender.hasCapacity();
    const key = `${batch.topic}/${batch.lane}/${batch.partition}`;
    const place = this.places.get(key) ?? new ReadPlace();
    this.places.set(key, place);
    for (const at of batch.events) await this.readEvent(at, place, context);
    const last = batch.events.at(-1);
    if (last) context.commit(place.readUpTo(last.offset + 1));
  }

  /** An operator's requeue stands for the record that it names. */
  private async readEvent(at: Recorded, place: ReadPlace, context: LogContext): Promise<void> {
    const handled = at.event_type === 'dead_letter_requeued' ? await this.requeued.eventOf(at.event) : at;
    if (!handled) return;
    if (handled.event_type === 'approval_granted' && handled.event.similar) await this.keep(handled.event, handled.event.similar);
    const notification = notificationOf(handled);
    if (!notification) return;
    place.hold(at.offset);
    void this.send(notification).then(() => context.commit(place.release(at.offset)));
  }

  private async send(notification: Notification): Promise<void> {
    await this.sender.send(await this.sagas.complete(notification));
  }

  private async keep({ meta }: EventMap['approval_granted'], grant: NonNullable<EventMap['approval_granted']['similar']>): Promise<void> {
    const { state, writer, clock } = this.configuration;
    const now_ms = clock.now_ms();
    if (grant.expires_at_ms <= now_ms || grantsOfTenant(state, meta.tenant_id).has(grant.grant_id)) return;
    await writer.set(meta.tenant_id, 'grant_set', { grant, revoked: false, by: POLICY, changed_at_ms: now_ms });
  }
}
