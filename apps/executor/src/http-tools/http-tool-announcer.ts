import { setTimeout as sleep } from 'node:timers/promises';
import { type ConfigurationState, httpToolsOf, tenantOf } from '@countersign/domain';
import { CONFIGURATION_TOPIC, type Logger } from '@countersign/process';
import { messageOf } from '@countersign/runtimes';
import type { Announcement, FoldedCatalog } from '../announcer.js';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';
import type { HttpTools } from './http-tools.js';

const AGAIN_MS = 1_000;

/** The folded configuration, and how far. */
interface Folded extends FoldedCatalog {
  readonly state: ConfigurationState;
  position(topic: string): number;
}

/** Announces tools with the given announcement. */
type Announce = (tools: readonly LoadedTool[], announcement: Announcement) => Promise<number>;

/** Announces the HTTP tools of the tenants of its lanes: at its start, and as soon as a tenant registers one. No restart is needed. */
export class HttpToolAnnouncer {
  private announced: number | undefined;
  private closed = false;

  constructor(
    private readonly configuration: Folded,
    private readonly tools: HttpTools,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly announce: Announce,
  ) {}

  /** @param announcement of this executor; `tenant_id` and `lanes` are set for each tenant */
  start(announcement: () => Announcement): void {
    void this.watch(announcement);
  }

  close(): void {
    this.closed = true;
  }

  private async watch(announcement: () => Announcement): Promise<void> {
    while (!this.closed) {
      const { policy_offset } = this.configuration.state;
      if (policy_offset !== this.announced && !(await this.announceAll(announcement()))) {
        await sleep(AGAIN_MS, undefined, { ref: false });
        continue;
      }
      this.announced = policy_offset;
      await this.configuration.folded(CONFIGURATION_TOPIC, this.configuration.position(CONFIGURATION_TOPIC));
    }
  }

  /** False: it is tried again. */
  private async announceAll(announcement: Announcement): Promise<boolean> {
    let is_complete = true;
    for (const tenant_id of [...this.configuration.state.by_tenant.keys()]) {
      if (this.closed) return true;
      is_complete = (await this.announceOf(tenant_id, announcement)) && is_complete;
    }
    return is_complete;
  }

  /** A tenant whose tools cannot be announced holds up no other tenant. */
  private async announceOf(tenant_id: string, announcement: Announcement): Promise<boolean> {
    const { state } = this.configuration;
    const lane = tenantOf(state, tenant_id)?.lane;
    if (lane === undefined || !announcement.lanes.includes(lane) || httpToolsOf(state, tenant_id).size === 0) return true;
    try {
      await this.announce(this.tools.of(tenant_id), { ...announcement, tenant_id, lanes: [lane] });
      return true;
    } catch (cause) {
      const fields = { event: 'http_tools_not_announced', tenant_id, cause: messageOf(cause) };
      this.logger.warn(fields, 'the HTTP tools of a tenant could not be announced');
      return false;
    }
  }
}
