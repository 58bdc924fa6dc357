import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolCall } from '@countersign/contracts';
import { changedRulings, TenantRulings, voidGrants } from '@countersign/decisions';
import { type ConfigurationState, holderOf, personLinkPeriods, rolesLeft, standingFor } from '@countersign/domain';
import { LogTransport, OwnedPartitions } from '@countersign/event-log';
import {
  type AppDeps,
  CallHistoryReader,
  CallTracer,
  type Configuration,
  ConfigurationHeartbeat,
  ExpiryWheel,
  foldConfiguration,
  NestLogger,
  type RunningApp,
  TenantMappings,
  TrustScoreCache,
} from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { PolicyConfig } from './config.js';
import { LimitService } from './limits/limit-service.js';
import { LimitStore } from './limits/limit-store.js';
import { Deferrals } from './partitions/deferrals.js';
import { DueWork, openApprovals } from './partitions/due-work.js';
import { LogClock } from './partitions/log-clock.js';
import type { PartitionServices, TimelessTerms, WritingLimits } from './partitions/partition-services.js';
import type { RulingPartition } from './partitions/ruling-partition.js';
import { RulingPartitions } from './partitions/ruling-partitions.js';
import { RulingTelemetry } from './partitions/ruling-telemetry.js';
import { SnapshotSaver } from './partitions/snapshot-saver.js';
import { SnapshotTable } from './partitions/snapshot-table.js';
import { PolicyConsumer } from './policy.consumer.js';
import { PolicyClock } from './policy-clock.js';
import { PolicyCounters } from './policy-counters.js';
import { PolicySpans } from './policy-spans.js';
import { DecisionService } from './rulings/decision-service.js';
import { HistoryLookup } from './rulings/history-lookup.js';
import { KeyRows } from './rulings/key-rows.js';
import { MappedQuestions } from './rulings/mapped-questions.js';
import { PersonalQuestions } from './rulings/personal-questions.js';
import { similarTo } from './rulings/similar-to.js';
import { StoreHealthCheck } from './rulings/store-health-check.js';

const BUNDLE_VERSION = 'default-1';
const HANDLERS_END_WITHIN_MS = 5000;
const SAVED_WITHIN_MS = 5000;
const APPENDS_AT_ONCE_IN_ONE_JOURNAL = 16;
/** Ends settle limits and resume deferred calls; callers wait for decisions. */
const MAX_DELAY_MS = 50;

@Module({})
class PolicyModule {
  static with(partitions: RulingPartitions): DynamicModule {
    return { module: PolicyModule, controllers: [PolicyConsumer], providers: [{ provide: RulingPartitions, useValue: partitions }] };
  }
}

function transportOf(deps: AppDeps, config: PolicyConfig, partitions: RulingPartitions): LogTransport {
  return new LogTransport({
    log: deps.log,
    codec: deps.codec,
    group: 'policy',
    lanes: config.lanes,
    visibility: 'appended',
    batch_records_max: config.batch_records_max,
    max_delay_ms: MAX_DELAY_MS,
    delayed_topics: ['tool-executed'],
    now_ms: () => deps.clock.now_ms(),
    faults: deps.logger,
    ...(deps.schemas ? { schemas: deps.schemas } : {}),
    owner: partitions,
    poison: (record) => partitions.poison(record),
  });
}

/** Reads the call history for rules, once the views have what this process published. */
function historiesOf(deps: AppDeps, rulings: TenantRulings, configuration: Configuration, said: () => Promise<void>): HistoryLookup {
  const { log, store, clock, logger } = deps;
  const historyReader = new CallHistoryReader({ log, store, clock, said });
  return new HistoryLookup(
    rulings,
    historyReader,
    () => configuration.state,
    (fields, message) => logger.warn(fields, message),
  );
}

const CHANGES_LOGGED_MAX = 200;

/** Warns operators at start of active bundles that decide differently than when they were published. */
function warnOfChanges(state: ConfigurationState, { logger, clock }: Pick<AppDeps, 'logger' | 'clock'>): void {
  const changes = changedRulings(state);
  for (const change of changes.slice(0, CHANGES_LOGGED_MAX))
    logger.warn(
      { event: 'policy_decisions_changed', ...change },
      `policy ${change.bundle_version} decides on ${change.tool} differently: ${change.why}`,
    );
  if (changes.length > CHANGES_LOGGED_MAX)
    logger.warn(
      { event: 'policy_decisions_changed', left_out: changes.length - CHANGES_LOGGED_MAX },
      'policies also decide differently on other tools',
    );
  for (const [tenant_id, grants] of voidGrants(state, clock.now_ms()))
    logger.warn({ event: 'grants_void', tenant_id, grants }, 'grants of earlier releases name no inputs and cover no call: approve again');
}

/** What the configuration knows about people at the time of a vote's decision. */
function peopleKnownTo(configuration: { state: ConfigurationState }): Pick<TimelessTerms, 'standing' | 'roles_left' | 'person_links'> {
  return {
    standing: (approval, to, at_ms) => {
      const { meta, call } = holderOf(approval);
      return standingFor(configuration.state, meta.tenant_id, { to, tool: call.tool, now_ms: at_ms });
    },
    roles_left:
      ({ meta }, at_ms) =>
      (who, roles, as) =>
        rolesLeft(configuration.state, meta.tenant_id, who, { roles, at_ms, as }),
    person_links: (approval) => personLinkPeriods(configuration.state, holderOf(approval).meta.tenant_id),
  };
}

function writingOf({ store }: AppDeps, { pending_records_max }: PolicyConfig): WritingLimits {
  return { in_flight_max: store.durable ? 1 : APPENDS_AT_ONCE_IN_ONE_JOURNAL, pending_records_max };
}

function termsOf(config: PolicyConfig, configuration: Configuration): TimelessTerms {
  const { allow_for_ms, grant_for_ms } = config;
  return { bundle_version: BUNDLE_VERSION, allow_for_ms, grant_for_ms, ...peopleKnownTo(configuration) };
}

function partitionServices(
  deps: AppDeps,
  config: PolicyConfig,
  configuration: Configuration,
  telemetry: RulingTelemetry,
): PartitionServices {
  return {
    terms: termsOf(config, configuration),
    clock: new LogClock(deps.clock),
    wheel: new ExpiryWheel(),
    telemetry,
    writing: writingOf(deps, config),
    logger: deps.logger,
  };
}

/** Resolves when everything decided so far is on the log. */
async function written(owned: OwnedPartitions<RulingPartition>): Promise<void> {
  await Promise.all([...owned.all()].map(({ writer }) => writer.drained()));
}

/**
 * Starts the policy service. Resolves when it reads its inputs. It is ready once its decisions on all records from before the start are on
 * the log.
 */
export async function startPolicy(deps: AppDeps, config: PolicyConfig): Promise<RunningApp> {
  const configuration = foldConfiguration(deps);
  await configuration.start();
  warnOfChanges(configuration.state, deps);
  const heartbeat = new ConfigurationHeartbeat('policy', configuration, deps);
  heartbeat.start();
  const trust = new TrustScoreCache(deps);
  await trust.start();
  const now_ms = () => deps.clock.now_ms();
  const limits = new LimitService(new LimitStore(deps.store, deps.log), deps.store, (fields, message) => deps.logger.warn(fields, message));
  const keys = new KeyRows(deps.store, () => configuration.state, now_ms);
  const pulse = new StoreHealthCheck(deps.store, () => deps.clock.monotonic_ms());
  const similar = (tenant_id: string, call: ToolCall, before_ms: number) => similarTo(deps.store, tenant_id, call, before_ms);
  const personal = new PersonalQuestions(deps.personal, () => configuration.state);
  const rulings = new TenantRulings(now_ms, trust);
  const owned = new OwnedPartitions<RulingPartition>();
  const histories = historiesOf(deps, rulings, configuration, () => written(owned));
  const mappings = new MappedQuestions(new TenantMappings(configuration));
  const decisions = new DecisionService(
    { configuration, log: deps.log, pulse, personal, mappings, histories },
    keys,
    limits,
    rulings,
    similar,
  );
  const counters = new PolicyCounters(deps.metrics, () => openApprovals(owned));
  const spans = new PolicySpans(deps.tracing ? new CallTracer('policy', true) : undefined);
  const services = partitionServices(deps, config, configuration, new RulingTelemetry(counters, spans));
  const rows = new SnapshotTable(deps.store);
  const source = { log: deps.log, codec: deps.codec, schemas: deps.schemas, snapshots: rows };
  const partitions = new RulingPartitions(owned, source, decisions, services);
  const transport = transportOf(deps, config, partitions);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(PolicyModule.with(partitions), {
    strategy: transport,
    logger: new NestLogger(deps.logger),
  });
  await app.listen();
  const snapshots = new SnapshotSaver(owned, rows, deps.logger);
  const due = new DueWork(owned, decisions, new Deferrals(deps.store), services);
  const clock = new PolicyClock({ due, snapshots }, transport, config.snapshot_every_ms, deps.logger);
  clock.start();
  const taken = transport.caughtUp().then(() => written(owned));
  let caughtUp = false;
  void taken.then(
    () => {
      caughtUp = true;
    },
    () => undefined,
  );
  return {
    ready: () => caughtUp,
    async close() {
      await clock.stop();
      const closing = app.close();
      await Promise.race([closing, sleep(HANDLERS_END_WITHIN_MS, undefined, { ref: false })]);
      await Promise.race([snapshots.save(), sleep(SAVED_WITHIN_MS, undefined, { ref: false })]);
      await owned.closeAll();
      await closing;
      await heartbeat.close();
      await configuration.close();
      await trust.close();
    },
  };
}
