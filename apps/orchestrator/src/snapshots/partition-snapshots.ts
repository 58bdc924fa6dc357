import { readSagaState, sagaStateText } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import {
  forgetSagaSnapshot,
  type OpenSagaRow,
  readSagaSnapshot,
  type SagaSnapshot,
  type Store,
  saveSagaSnapshot,
} from '@countersign/store';
import type { CompiledSagas } from '../definitions/compiled-sagas.js';
import type { PartitionSnapshot } from '../partitions/partition-start.js';
import type { SagaPartition } from '../partitions/saga-partition.js';
import { type OpenSaga, openedSaga, type SagaMoment } from '../sagas/open-saga.js';

/** Sagas whose state is made into text before other work has its turn. */
const AT_ONCE = 100;

type Kept = Pick<OpenSaga, 'tenant_id' | 'correlation_id' | 'hlc'> & { state: string };

/** Saves and loads the open sagas of partitions. A snapshot has only what changed since the last one. */
export class PartitionSnapshots {
  constructor(
    private readonly store: Store,
    private readonly compiled: CompiledSagas,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** The last snapshot of a partition; undefined if there is none or it is ahead of the log. @throws InfrastructureFault */
  async load(lane: string, partition: number, head: number): Promise<PartitionSnapshot | undefined> {
    const kept = await readSagaSnapshot(this.store, lane, partition);
    if (!kept) return undefined;
    if (kept.output_offset <= head) return this.read(kept);
    await forgetSagaSnapshot(this.store, lane, partition);
    return undefined;
  }

  private read({ input_offset, output_offset, open }: SagaSnapshot): PartitionSnapshot {
    const sagas = new Map(open.map(({ saga, state }) => [saga, this.saga(state)]));
    return { sagas, input_offset, output_offset };
  }

  private saga(text: string): OpenSaga {
    const { tenant_id, correlation_id, hlc, state: stateText } = JSON.parse(text) as Kept;
    const state = readSagaState(
      stateText,
      (definition, definition_digest) => this.compiled.of(tenant_id, { definition, definition_digest }).definition,
    );
    return openedSaga({ tenant_id, correlation_id, hlc }, state);
  }

  /**
   * Saves what changed in a partition, up to records that are on the log. Its sagas may move meanwhile: each row has the logical time of
   * its newest record, and a replay from the saved position skips what a row contains already.
   */
  async save(partition: SagaPartition): Promise<void> {
    const changed = [...partition.unsaved];
    if (changed.length === 0) return;
    const { lane, number, input_offset, output_offset } = partition;
    const [open, ended]: [OpenSagaRow[], string[]] = [[], []];
    for (const [at, saga] of changed.entries()) {
      partition.unsaved.delete(saga);
      const found = partition.sagas.get(saga);
      if (found?.durable) open.push({ saga, state: textOf(found, found.durable) });
      else if (!found) ended.push(saga);
      if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    }
    await saveSagaSnapshot(this.store, { lane, partition: number, input_offset, output_offset, open, ended }).catch((cause: unknown) => {
      for (const saga of changed) partition.unsaved.add(saga);
      throw cause;
    });
  }

  async saveAll(partitions: Iterable<SagaPartition>): Promise<void> {
    for (const partition of partitions)
      await this.save(partition).catch((cause: unknown) => {
        this.logger.warn(
          { event: 'saga_snapshot_not_saved', partition: partition.number, cause: String(cause) },
          'cannot save a snapshot of sagas; trying again',
        );
      });
  }
}

function textOf({ tenant_id, correlation_id }: OpenSaga, { state, hlc }: SagaMoment): string {
  return JSON.stringify({ tenant_id, correlation_id, hlc, state: sagaStateText(state) } satisfies Kept);
}
