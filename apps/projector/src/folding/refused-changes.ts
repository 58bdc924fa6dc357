import { type ChangeLedger, emptyLedger, judgeChange, type PlacedEvent } from '@countersign/domain';
import { FoldedTopics } from '@countersign/event-log';
import { type AppDeps, CONFIGURATION_TOPIC } from '@countersign/process';

/** Finds configuration changes that took no effect because their base had changed, by the same fold as every other service. */
export class RefusedChanges {
  private readonly ledger: FoldedTopics<ChangeLedger>;

  constructor({ log, codec, schemas }: Pick<AppDeps, 'log' | 'codec' | 'schemas'>) {
    this.ledger = new FoldedTopics<ChangeLedger>({
      log,
      codec,
      topics: [CONFIGURATION_TOPIC],
      initial: emptyLedger(),
      evolve: (ledger, event) => {
        judgeChange(ledger, event as PlacedEvent);
        return ledger;
      },
      ...(schemas ? { schemas } : {}),
    });
  }

  /** Configuration offset for the list of running instances. This service applies no policy. */
  get state(): { config_offset: number } {
    return { config_offset: this.ledger.state.offset };
  }

  start(): Promise<void> {
    return this.ledger.start();
  }

  close(): Promise<void> {
    return this.ledger.close();
  }

  position(topic: string): number {
    return this.ledger.position(topic);
  }

  folded(topic: string, offset: number): Promise<void> {
    return this.ledger.folded(topic, offset);
  }

  /** The same events, with refused changes marked. Waits only for changes that name their base. */
  async marked(events: readonly PlacedEvent[]): Promise<readonly PlacedEvent[]> {
    const last = events.findLast(namesItsBase);
    if (!last) return events;
    await this.ledger.folded(CONFIGURATION_TOPIC, last.offset);
    const { refused } = this.ledger.state;
    return events.map((at) => (namesItsBase(at) && refused.has(at.offset) ? { ...at, is_refused: true } : at));
  }
}

function namesItsBase(at: PlacedEvent): boolean {
  return at.topic === CONFIGURATION_TOPIC && ((at.event as { based_on?: unknown[] }).based_on?.length ?? 0) > 0;
}
