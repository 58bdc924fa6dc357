import type { PlacedEvent } from '@countersign/domain';
import { CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';

/** Finds configuration changes that took no effect, by this gateway's own fold. */
export class Refusals {
  constructor(private readonly configuration: Pick<Configuration, 'state' | 'folded'>) {}

  /** True if the event is a change that names its base versions: only such a change can be refused. */
  canBeRefused(at: PlacedEvent): boolean {
    return at.topic === CONFIGURATION_TOPIC && ((at.event as { based_on?: unknown[] }).based_on?.length ?? 0) > 0;
  }

  /** Marks the event if it was refused. Waits for the fold if the event can be refused. */
  async marked<T extends PlacedEvent>(at: T): Promise<T> {
    if (!this.canBeRefused(at)) return at;
    await this.configuration.folded(CONFIGURATION_TOPIC, at.offset);
    return this.configuration.state.changes.refused.has(at.offset) ? { ...at, is_refused: true } : at;
  }
}
