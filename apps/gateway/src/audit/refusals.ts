import type { PlacedEvent } from '@countersign/domain';
import { CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';

/** Which records of the log are changes of the configuration that took no effect, by this gateway's own fold. */
export class Refusals {
  constructor(private readonly configuration: Pick<Configuration, 'state' | 'folded'>) {}

  /** Whether the event is a change that says what it is based on: no other is ever refused. */
  canBeRefused(at: PlacedEvent): boolean {
    return at.topic === CONFIGURATION_TOPIC && ((at.event as { based_on?: unknown[] }).based_on?.length ?? 0) > 0;
  }

  /** The event, marked where it was refused. Waits for the fold where it can be. */
  async marked<T extends PlacedEvent>(at: T): Promise<T> {
    if (!this.canBeRefused(at)) return at;
    await this.configuration.folded(CONFIGURATION_TOPIC, at.offset);
    return this.configuration.state.changes.refused.has(at.offset) ? { ...at, is_refused: true } : at;
  }
}
