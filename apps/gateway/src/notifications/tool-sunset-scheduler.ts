import { baseOf, dueVersionNotices, itemNames, unpackCall, type VersionNotice } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import { listCalls, type Store } from '@countersign/store';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { Notification } from './notification.js';
import type { NotificationSender } from './notification-sender.js';

const TURN_MS = 1_000;
/** Turns between two checks while no lifecycle changes. Sunsets are due on a date, so a minute is often enough. */
const IDLE_TURNS = 60;
const CALLS_MAX = 500;
const REGISTRY = { kind: 'service' as const, id: 'registry', roles: [] };

/** Notifies callers 30 and 7 days before a version ends and when it is revoked, once each, and blocks versions at their sunset. */
export class ToolSunsetScheduler {
  private timer: NodeJS.Timeout | undefined;
  private turns = 0;
  private checked_epoch: number | null = null;
  private readonly sending = new Set<string>();
  private working = Promise.resolve();

  constructor(
    private readonly configuration: Pick<ConfigurationService, 'state' | 'writer' | 'clock'>,
    private readonly sender: Pick<NotificationSender, 'send'>,
    private readonly store: Store,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.turn(), TURN_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }

  private turn(): void {
    const { revocation_epoch } = this.configuration.state;
    if (revocation_epoch === this.checked_epoch && ++this.turns < IDLE_TURNS) return;
    this.checked_epoch = revocation_epoch;
    this.turns = 0;
    this.working = this.working
      .then(() => this.checkNow())
      .catch((cause: unknown) =>
        this.logger.warn(
          { event: 'tool_sunset_check_failed', cause: String(cause) },
          'could not check the sunsets of tools: retry in 60 s',
        ),
      );
  }

  /** Blocks and announces what is due now. Public for tests with a manual clock. */
  async checkNow(): Promise<void> {
    const { state, clock, writer } = this.configuration;
    const { notices, ended } = dueVersionNotices(state, clock.now_ms());
    for (const { tenant_id, tool, version, entry } of ended) {
      const versions = baseOf(state.changes, tenant_id, [itemNames.tool_version(tool, version)]);
      const { sunset_at_ms, use_instead } = entry;
      const reason = entry.reason ?? 'its sunset date has passed';
      const fields = { tool, version, state: 'blocked' as const, sunset_at_ms, reason, use_instead };
      // A concurrent edit of the sunset wins: the next turn checks again.
      const changed = { ...fields, by: REGISTRY, changed_at_ms: clock.now_ms() };
      await writer.change(tenant_id, 'tool_lifecycle_set', changed, { versions, is_required: false });
    }
    for (const due of notices) if (!this.sending.has(due.notice_id)) await this.announce(due);
  }

  private async announce(due: VersionNotice): Promise<void> {
    const { tenant_id, notice_id, tool, version } = due;
    this.sending.add(notice_id);
    const callers = await this.callers(tenant_id, tool, version);
    const notification = notificationOf(due, callers, this.configuration.clock.now_ms());
    void this.sender.send(notification).then(() => this.markSent(due));
  }

  private async markSent({ tenant_id, tool, version, notice_id }: VersionNotice): Promise<void> {
    const { writer, clock } = this.configuration;
    try {
      await writer.set(tenant_id, 'tool_notice_told', { tool, version, notice_id, by: REGISTRY, changed_at_ms: clock.now_ms() });
    } catch (cause) {
      this.logger.warn(
        { event: 'notification_not_marked', cause: String(cause) },
        'a notification was sent and may be sent once more: the log is unavailable',
      );
    }
    this.sending.delete(notice_id);
  }

  /** The recent callers of this version, from the newest calls of the tool. */
  private async callers(tenant_id: string, tool: string, version: string): Promise<string[]> {
    const { items } = await listCalls(this.store, { tenant_id, tool, limit: CALLS_MAX });
    const calls = items.map((row) => unpackCall(row.state).call).filter((call) => call?.version === version);
    return [...new Set(calls.map((call) => call?.principal.id as string))].sort();
  }
}

function notificationOf(
  { notice_id, tenant_id, type, tool, version, days_left, entry }: VersionNotice,
  callers: string[],
  now_ms: number,
): Notification {
  const what = type === 'tool.version_revoked' ? 'is revoked' : `ends in ${days_left} days`;
  const sunset_at = entry.sunset_at_ms === null ? null : new Date(entry.sunset_at_ms).toISOString();
  return {
    id: notice_id,
    tenant_id,
    type,
    timestamp_ms: now_ms,
    title: `${tool}@${version} ${what}`,
    data: { tool, version, state: entry.state, sunset_at, days_left, reason: entry.reason, use_instead: entry.use_instead, callers },
    decides: null,
  };
}
