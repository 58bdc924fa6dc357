import type { EventMap } from '@countersign/contracts';
import type { ConfigurationState } from '@countersign/domain';
import type { EventBatch, LogContext, Recorded } from '@countersign/event-log';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import type { NoticeSender } from './notice-sender.js';
import { noticeOf } from './notice-sources.js';
import { ReadPlace } from './read-places.js';

const POLICY = { kind: 'service' as const, id: 'policy', roles: [] };

/**
 * Reads what policy decided, in a consumer group: tells people of it, and puts 'approve similar' into the configuration,
 * which only the gateway writes and only after policy granted it.
 */
export class Notices {
  private readonly places = new Map<string, ReadPlace>();

  constructor(
    private readonly sender: NoticeSender,
    private readonly writer: ConfigurationWriter,
    private readonly state: () => ConfigurationState,
    private readonly now_ms: () => number,
  ) {}

  async take(batch: EventBatch, context: LogContext): Promise<void> {
    await this.sender.hasRoom();
    const key = `${batch.topic}/${batch.lane}/${batch.partition}`;
    const place = this.places.get(key) ?? new ReadPlace();
    this.places.set(key, place);
    for (const at of batch.events) await this.one(at, place, context);
    const last = batch.events.at(-1);
    if (last) context.commit(place.readUpTo(last.offset + 1));
  }

  private async one(at: Recorded, place: ReadPlace, context: LogContext): Promise<void> {
    if (at.event_type === 'approval_granted' && at.event.similar) await this.keep(at.event, at.event.similar);
    const notice = noticeOf(at);
    if (!notice) return;
    place.hold(at.offset);
    this.sender.tell(notice, () => context.commit(place.release(at.offset)));
  }

  private async keep({ meta }: EventMap['approval_granted'], grant: NonNullable<EventMap['approval_granted']['similar']>): Promise<void> {
    if (grant.expires_at_ms <= this.now_ms() || this.state().by_tenant.get(meta.tenant_id)?.grants.has(grant.grant_id)) return;
    await this.writer.set(meta.tenant_id, 'grant_set', { grant, revoked: false, by: POLICY, changed_at_ms: this.now_ms() });
  }
}
