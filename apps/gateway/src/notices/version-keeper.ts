import { baseOf, type ConfigurationState, dueVersionNotices, itemNames, unpackCall, type VersionNotice } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { listCalls, type Store } from '@countersign/store';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import type { Notice } from './notice.js';

const TURN_MS = 1_000;
/** Without a change of any lifecycle it is looked at so often: what is due, is due by days. */
const IDLE_TURNS = 60;
const CALLS_MAX = 500;
const REGISTRY = { kind: 'service' as const, id: 'registry', roles: [] };

export interface KeeperParts {
  state(): ConfigurationState;
  writer: Pick<ConfigurationWriter, 'set' | 'change'>;
  /** `done` once every channel that wants it has it, or is given up. */
  tell(notice: Notice, done: () => void): void;
  store: Store;
  clock: Clock;
  logger: Logger;
}

/** Tells callers 30 and 7 days before a version ends and when it is revoked, once each, and blocks versions at their sunset. */
export class VersionKeeper {
  private timer: NodeJS.Timeout | undefined;
  private turns = 0;
  private seen = -1;
  private readonly telling = new Set<string>();
  private working = Promise.resolve();

  constructor(private readonly parts: KeeperParts) {}

  start(): void {
    this.timer = setInterval(() => this.turn(), TURN_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }

  private turn(): void {
    const { standing_changes } = this.parts.state();
    if (standing_changes === this.seen && ++this.turns < IDLE_TURNS) return;
    this.seen = standing_changes;
    this.turns = 0;
    this.working = this.working
      .then(() => this.look())
      .catch((cause: unknown) => this.parts.logger.warn({ cause: String(cause) }, 'notices of versions wait: looked at again in a minute'));
  }

  /** What is due now. Public for tests that move the clock. */
  async look(): Promise<void> {
    const { state, clock, writer } = this.parts;
    const { notices, ended } = dueVersionNotices(state(), clock.now_ms());
    for (const { tenant_id, tool, version, entry } of ended) {
      const versions = baseOf(state().changes, tenant_id, [itemNames.tool_version(tool, version)]);
      const { sunset_at_ms, use_instead } = entry;
      const reason = entry.reason ?? 'its sunset has come';
      const fields = { tool, version, state: 'blocked' as const, sunset_at_ms, reason, use_instead };
      // A sunset that somebody moved at the same moment stands; the next turn looks at what is due then.
      const changed = { ...fields, by: REGISTRY, changed_at_ms: clock.now_ms() };
      await writer.change(tenant_id, 'tool_lifecycle_set', changed, { versions, is_required: false });
    }
    for (const due of notices) if (!this.telling.has(due.notice_id)) await this.tell(due);
  }

  private async tell(due: VersionNotice): Promise<void> {
    const { tenant_id, notice_id, tool, version } = due;
    this.telling.add(notice_id);
    const notice = noticeOf(due, await this.callers(tenant_id, tool, version), this.parts.clock.now_ms());
    this.parts.tell(notice, () => void this.told(tenant_id, { tool, version, notice_id }));
  }

  private async told(tenant_id: string, about: { tool: string; version: string; notice_id: string }): Promise<void> {
    try {
      await this.parts.writer.set(tenant_id, 'tool_notice_told', { ...about, by: REGISTRY, changed_at_ms: this.parts.clock.now_ms() });
    } catch (cause) {
      this.parts.logger.warn({ cause: String(cause) }, 'a notice went out and may go out once more: the log is away');
    }
    this.telling.delete(about.notice_id);
  }

  /** Who called this version lately, by the newest calls of the tool. */
  private async callers(tenant_id: string, tool: string, version: string): Promise<string[]> {
    const { items } = await listCalls(this.parts.store, { tenant_id, tool, limit: CALLS_MAX });
    const calls = items.map((row) => unpackCall(row.state).call).filter((call) => call?.version === version);
    return [...new Set(calls.map((call) => call?.principal.id as string))].sort();
  }
}

function noticeOf(
  { notice_id, tenant_id, type, tool, version, days_left, entry }: VersionNotice,
  callers: string[],
  now_ms: number,
): Notice {
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
