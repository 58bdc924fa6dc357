import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AssembledCalls, Readable, Views } from '@countersign/calls';
import { TenantRulings } from '@countersign/decisions';
import { LogTransport, OwnedPartitions } from '@countersign/event-log';
import { type AppDeps, CircuitView, type Configuration, NestLogger, type RunningApp } from '@countersign/process';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { SagaPlanner } from './approval/saga-planner.js';
import type { OrchestratorConfig } from './config.js';
import { CompiledSagas } from './definitions/compiled-sagas.js';
import { StartOrders } from './definitions/start-orders.js';
import { BlockReader } from './effects/block-reader.js';
import { CallFollowing } from './effects/call-following.js';
import { GrantedPlan } from './effects/granted-plan.js';
import { LevelSkips } from './effects/level-skips.js';
import { SagaActions } from './effects/saga-actions.js';
import { SagaEffects } from './effects/saga-effects.js';
import { SentCalls } from './effects/sent-calls.js';
import { StepCalls } from './effects/step-calls.js';
import { StepPreparer } from './effects/step-preparer.js';
import { StepRepairs } from './effects/step-repairs.js';
import { UndoCalls } from './effects/undo-calls.js';
import { CallOutcomes } from './evaluation/call-outcomes.js';
import { CallOutputs } from './evaluation/call-outputs.js';
import { SagaScopes } from './evaluation/saga-scopes.js';
import { LateEffects } from './late-effects/late-effects.js';
import { OrchestratorModule } from './orchestrator.module.js';
import { EndedSagas } from './partitions/ended-sagas.js';
import { LateTickets } from './partitions/late-tickets.js';
import type { SagaPartition } from './partitions/saga-partition.js';
import { SagaPartitions } from './partitions/saga-partitions.js';
import { SagaRequests } from './partitions/saga-requests.js';
import { StarterStanding } from './sagas/starter-standing.js';
import { PartitionSnapshots } from './snapshots/partition-snapshots.js';
import { SagaTimers } from './timing/saga-timers.js';

const HANDLERS_END_WITHIN_MS = 5000;
const SAVED_WITHIN_MS = 5000;

/** What submits and follows calls. Embedded, it is that of the gateway in the same process. */
export interface SharedCalls {
  configuration: Configuration;
  calls: Pick<AssembledCalls, 'calls' | 'compensations' | 'sealer'>;
  views: Views;
  readable: Readable;
}

function actionsOf(
  deps: AppDeps,
  { configuration, calls, readable }: SharedCalls,
  { compiled, rulings, circuits }: { compiled: CompiledSagas; rulings: TenantRulings; circuits: CircuitView },
): SagaActions {
  const { clock, keys, log, store, logger } = deps;
  const { sealer, compensations } = calls;
  const now_ms = () => clock.now_ms();
  const outcomes = new CallOutcomes(calls.calls);
  const scopes = new SagaScopes(compiled, new CallOutputs(outcomes, readable));
  const following = new CallFollowing(calls.calls, outcomes);
  const standing = new StarterStanding(configuration, now_ms);
  const repairs = new StepRepairs(configuration, scopes, outcomes);
  const sent = new SentCalls(calls.calls, configuration, log);
  const skips = new LevelSkips(configuration, circuits, store, now_ms);
  const planner = new SagaPlanner(configuration, { scopes, sealer, rulings }, now_ms, logger);
  return new SagaActions(
    new BlockReader(scopes),
    new StepPreparer(configuration, scopes, { keys, log, sealer, skips, repairs, planner }),
    new StepCalls(calls.calls, following, scopes, { standing, repairs, sent }),
    new UndoCalls(configuration, { compensations, following, outcomes, sent, scopes, sealer }, keys, now_ms),
    following,
    new GrantedPlan(configuration, outcomes, logger),
  );
}

function transportOf(
  { log, codec, clock, logger, schemas }: AppDeps,
  config: OrchestratorConfig,
  partitions: SagaPartitions,
): LogTransport {
  return new LogTransport({
    log,
    codec,
    group: 'orchestrator',
    lanes: config.lanes,
    // Nothing is performed or answered before the records of a decision are durable, and these are later in the journal.
    visibility: 'appended',
    batch_records_max: config.batch_records_max,
    now_ms: () => clock.now_ms(),
    faults: logger,
    ...(schemas ? { schemas } : {}),
    owner: partitions,
    // The dead letter is the answer: a request that nobody can read starts nothing.
    poison: async () => undefined,
  });
}

/** Starts the orchestrator. Resolves when it reads requests; it is ready once those from before the start are answered. */
export async function startOrchestrator(deps: AppDeps, config: OrchestratorConfig, shared: SharedCalls): Promise<RunningApp> {
  const { clock, logger, log, codec, schemas, store } = deps;
  const now_ms = () => clock.now_ms();
  const compiled = new CompiledSagas();
  const circuits = new CircuitView(deps);
  await circuits.start();
  const rulings = new TenantRulings(now_ms);
  const timers = new SagaTimers(now_ms);
  const effects = new SagaEffects(actionsOf(deps, shared, { compiled, rulings, circuits }), timers, logger);
  const snapshots = new PartitionSnapshots(store, compiled, logger);
  const owned = new OwnedPartitions<SagaPartition>();
  const source = { log, codec, schemas, snapshots, compiled };
  const starts = new StartOrders(shared.configuration, rulings, compiled);
  const requests = new SagaRequests(starts, new EndedSagas(shared.views), new LateTickets(shared.views.store, source));
  const partitions = new SagaPartitions(owned, source, requests, effects, { now_ms, logger });
  const late = new LateEffects(shared.views.store, shared.configuration, owned, source, logger);
  const transport = transportOf(deps, config, partitions);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(OrchestratorModule.with(partitions), {
    strategy: transport,
    logger: new NestLogger(logger),
  });
  await app.listen();
  late.start();
  const saving = setInterval(() => void snapshots.saveAll(owned.all()), config.snapshot_every_ms).unref();
  const state = { caught_up: false };
  void transport.caughtUp().then(
    () => {
      state.caught_up = true;
    },
    () => undefined,
  );
  return {
    ready: () => state.caught_up,
    async close() {
      state.caught_up = false;
      clearInterval(saving);
      await late.close();
      const closing = app.close();
      await Promise.race([closing, sleep(HANDLERS_END_WITHIN_MS, undefined, { ref: false })]);
      await Promise.race([snapshots.saveAll(owned.all()), sleep(SAVED_WITHIN_MS, undefined, { ref: false })]);
      await partitions.close();
      timers.close();
      await circuits.close();
      await closing;
    },
  };
}
