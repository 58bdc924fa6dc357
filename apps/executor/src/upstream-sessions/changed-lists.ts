import type { UpstreamEvents } from '@countersign/runtimes';

/** An upstream whose server said that its list of tools has changed. */
export interface ChangedList {
  readonly tenant_id: string;
  readonly upstream: string;
}

const HELD_MAX = 10_000;

/** Changed lists since they were last taken, each upstream once. A lost one is found by the next regular listing. */
export class ChangedLists implements UpstreamEvents {
  private readonly held = new Map<string, ChangedList>();

  listChanged(tenant_id: string, upstream: string): void {
    if (this.held.size < HELD_MAX) this.held.set(JSON.stringify([tenant_id, upstream]), { tenant_id, upstream });
  }

  take(): ChangedList[] {
    const changed = [...this.held.values()];
    this.held.clear();
    return changed;
  }
}
