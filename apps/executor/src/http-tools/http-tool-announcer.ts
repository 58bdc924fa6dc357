import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type ConfigurationState, tenantOf } from '@countersign/domain';
import { CONFIGURATION_TOPIC, type Logger } from '@countersign/process';
import { messageOf } from '@countersign/runtimes';
import type { Announcement, FoldedCatalog } from '../announcer.js';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';

const AGAIN_MS = 1_000;
/** Tools that are announced at once: each time waits for the disk. */
const BATCH_MAX = 48;
/** Tools that are made ready at once: each takes about a millisecond of the thread that runs calls. */
const AT_ONCE_MAX = 8;

/** The tools that single tenants have. */
interface ToolsOfTenants {
  of(tenant_id: string): Iterable<LoadedTool>;
}

/** The folded configuration, and how far. */
interface Folded extends FoldedCatalog {
  readonly state: ConfigurationState;
  position(topic: string): number;
}

/** Announces tools with the given announcement. */
type Announce = (tools: readonly LoadedTool[], announcement: Announcement) => Promise<number>;

/** Announces the tools that tenants of its lanes have of their own: at its start, and as soon as a tenant registers one. No restart is needed. */
export class HttpToolAnnouncer {
  private announced: number | undefined;
  private closed = false;

  constructor(
    private readonly configuration: Folded,
    private readonly tools: ToolsOfTenants,
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
      // Before the announcement: what is folded during it is announced by the next round.
      const next = this.configuration.position(CONFIGURATION_TOPIC);
      if (policy_offset !== this.announced && !(await this.announceAll(announcement()))) {
        await sleep(AGAIN_MS, undefined, { ref: false });
        continue;
      }
      this.announced = policy_offset;
      await this.configuration.folded(CONFIGURATION_TOPIC, next);
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
    if (lane === undefined || !announcement.lanes.includes(lane)) return true;
    try {
      for await (const batch of batches(this.tools.of(tenant_id)))
        await this.announce(batch, { ...announcement, tenant_id, lanes: [lane] });
      return true;
    } catch (cause) {
      const fields = { event: 'tenant_tools_not_announced', tenant_id, cause: messageOf(cause) };
      this.logger.warn(fields, 'the tools of a tenant could not be announced');
      return false;
    }
  }
}

async function* batches(tools: Iterable<LoadedTool>): AsyncGenerator<LoadedTool[], void> {
  let batch: LoadedTool[] = [];
  for (const tool of tools) {
    batch.push(tool);
    if (batch.length % AT_ONCE_MAX === 0) await turn();
    if (batch.length < BATCH_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
