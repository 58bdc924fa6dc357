import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canonicalText, EventCodec, type Principal, sagaKey, sha256Hex } from '@countersign/contracts';
import type { SagaDefinition } from '@countersign/domain';
import { type EventBatch, type EventLog, OwnedPartitions } from '@countersign/event-log';
import { EmbeddedEventLog } from '@countersign/event-log/embedded/embedded-event-log';
import { createLogger, topicSpecs } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { CompiledSagas } from '../definitions/compiled-sagas.js';
import type { SagaPartition, SagaPerformer } from '../partitions/saga-partition.js';
import { SagaPartitions } from '../partitions/saga-partitions.js';
import type { SagaRequests } from '../partitions/saga-requests.js';
import type { SagaOrder, SagaWork, WorkCause } from '../sagas/saga-work.js';
import { PartitionSnapshots } from '../snapshots/partition-snapshots.js';

const LANE = 'shared';
const TENANT = 'acme';
const by: Principal = { kind: 'agent', id: 'bot', roles: ['agent'] };
const logger = createLogger('orchestrator', 'silent');

/** A saga that waits for an event. */
const definition: SagaDefinition = {
  name: 'waits',
  version: '1.0.0',
  wait_max_ms: 60_000,
  root: { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 60_000, on_timeout: 'fail' },
};

/** Performs nothing: these specs are about what is on the record. */
const performsNothing: SagaPerformer = {
  evaluated: async () => [],
  perform: () => undefined,
  answered: () => undefined,
  forget: () => undefined,
};

/** Requests of these partitions are commands already. */
const requests = {
  workOf: async (_partition: SagaPartition, request: unknown) => (request as { work: SagaWork }).work,
} as unknown as SagaRequests;

const causeAt = (offset: number): WorkCause => ({
  ...{ event_id: `request ${offset}`, correlation_id: 'c', hlc: 1 },
  ...{ topic: 'saga-requested', offset },
});

function startOf(saga_id: string, tenant_id: string, inputs_json: string, cause: WorkCause | null): SagaWork {
  const definition_json = canonicalText(definition);
  const what = { saga_id, case_id: null, definition, definition_digest: sha256Hex(definition_json), definition_json, inputs_json };
  const source = cause && { topic: cause.topic, offset: cause.offset };
  const terms = { latencies: {}, deadline_at_ms: null, by, authority: null, request_digest: null, source };
  return { tenant_id, saga_id, order: { kind: 'start', ...what, ...terms }, cause };
}

/** A process that owns partition 0: its partitions on a shared log and store. */
export class PartitionOwnerRig {
  private readonly owned = new OwnedPartitions<SagaPartition>();
  readonly snapshots: PartitionSnapshots;
  private readonly partitions: SagaPartitions;

  constructor(log: EventLog, store: PgliteStore) {
    const compiled = new CompiledSagas();
    this.snapshots = new PartitionSnapshots(store, compiled, logger);
    const source = { log, codec: new EventCodec(), snapshots: this.snapshots, compiled };
    this.partitions = new SagaPartitions(this.owned, source, requests, performsNothing, { now_ms: () => Date.now(), logger });
  }

  async open(): Promise<void> {
    await this.partitions.assigned(LANE, [0]);
  }

  close(): Promise<void> {
    return this.partitions.revoked(LANE, [0]);
  }

  /** Resolves once the partition is open again: one that saw records of another process reads it again. */
  async reread(): Promise<void> {
    while (!this.owned.at(LANE, 0)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  get partition(): SagaPartition {
    return this.owned.at(LANE, 0) as SagaPartition;
  }

  /** Ids of the open sagas. */
  get open_ids(): string[] {
    return [...this.partition.sagas.values()].map(({ saga_id }) => saga_id).sort();
  }

  async start(saga_id: string, tenant_id = TENANT, inputs_json = '{}', cause: WorkCause | null = null): Promise<void> {
    await this.partition.submit(startOf(saga_id, tenant_id, inputs_json, cause));
  }

  /** Passes a batch of requests, one at each of these offsets, that start a saga each: `saga-7` at offset 7. */
  async handle(offsets: readonly number[]): Promise<void> {
    const events = offsets.map((offset) => ({ offset, work: startOf(`saga-${offset}`, TENANT, '{}', causeAt(offset)) }));
    await this.partitions.handle({ lane: LANE, partition: 0, events } as unknown as EventBatch);
  }

  async answer(saga_id: string, tenant_id = TENANT, answer_json: string | null = null): Promise<void> {
    const order: SagaOrder = {
      ...{ kind: 'wait_answered', step_id: 'go', is_refused: false, answer_json, reason: null },
      ...{ by, command_id: `answer ${saga_id}`, source: null },
    };
    await this.partition.submit({ tenant_id, saga_id, order, cause: null });
  }

  statusOf(saga_id: string): string | undefined {
    const state = this.partition.sagas.get(sagaKey(TENANT, saga_id))?.state;
    return state && (state.ended ?? 'open');
  }
}

/** A log and a store of their own. */
export class PartitionWorld {
  private constructor(
    private readonly dir: string,
    readonly log: EmbeddedEventLog,
    readonly store: PgliteStore,
  ) {}

  static async open(): Promise<PartitionWorld> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-saga-partition-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
    await log.ensureTopics(topicSpecs([LANE], 1));
    return new PartitionWorld(dir, log, await PgliteStore.open({ memory: true }));
  }

  owner(log: EventLog = this.log): PartitionOwnerRig {
    return new PartitionOwnerRig(log, this.store);
  }

  records(): Promise<number> {
    return this.log.head('compensation', 0);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.log.close();
    await rm(this.dir, { recursive: true });
  }
}
