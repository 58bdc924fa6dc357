import type { PlacedEvent } from '@countersign/domain';
import { CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';

/** Which records of the log are changes of the configuration that took no effect, by this gateway's own fold. */
export class Refusals {
  constructor(private readonly configuration: Pick<Configuration, 'state' | 'folded'>) {}

  /** The event, marked where it was refused. Waits for the fold where the event says what it is based on. */
  async marked<T extends PlacedEvent>(at: T): Promise<T> {
    const { based_on = [] } = at.event as { based_on?: unknown[] };
    if (at.topic !== CONFIGURATION_TOPIC || based_on.length === 0) return at;
    await this.configuration.folded(CONFIGURATION_TOPIC, at.offset);
    return this.configuration.state.changes.refused.has(at.offset) ? { ...at, is_refused: true } : at;
  }
}
