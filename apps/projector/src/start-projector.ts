import 'reflect-metadata';
import { uuidv7 } from '@countersign/contracts';
import { packedCalls } from '@countersign/domain';
import { type EventLog, LogTransport } from '@countersign/event-log';
import { type AppDeps, CallTracer, ConfigurationHeartbeat, checkedLog, NestLogger, type RunningApp } from '@countersign/process';
import { keepStateSchema, readBuilds, showAnalytics } from '@countersign/store';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { measureApprovals } from './approval-metrics.js';
import { CheckpointWriter } from './audit/checkpoint-writer.js';
import { CoveredLanes } from './audit/covered-lanes.js';
import { LogSigning } from './audit/log-signing.js';
import { StartCheck } from './audit/start-check.js';
import type { ProjectorConfig } from './config.js';
import { ExportPublisher } from './exports/export-publisher.js';
import { GLOBAL } from './folding/lanes.js';
import { RefusedChanges } from './folding/refused-changes.js';
import { type Shown, ViewFolder } from './folding/view-folder.js';
import { refuseNewer } from './folding/write-plan.js';
import { measureLag } from './lag-metric.js';
import { projectionsWith } from './projections/index.js';
import { ProjectorModule } from './projector.module.js';
import { Rebuilder } from './rebuild/rebuilder.js';
import { BackgroundChecks } from './scrub/background-checks.js';
import { startTimestamps } from './timestamps/start-timestamps.js';
import { TrustScorePublisher } from './trust/trust-score-publisher.js';

/** Rows are written some milliseconds after they are folded anyway. */
const MAX_DELAY_MS = 25;

function transportOf(deps: AppDeps, log: EventLog, config: ProjectorConfig, folder: ViewFolder): LogTransport {
  return new LogTransport({
    log,
    codec: deps.codec,
    ...(deps.schemas ? { schemas: deps.schemas } : {}),
    group: 'projector',
    lanes: config.lanes,
    visibility: 'durable',
    batch_records_max: 500,
    max_delay_ms: MAX_DELAY_MS,
    now_ms: () => deps.clock.now_ms(),
    faults: deps.logger,
    owner: folder,
    poison: async ({ record }) => folder.skip(record.topic, record.partition, record.offset),
  });
}

/** Starts signing the log if there is a signing key. */
async function startCheckpoints(deps: AppDeps, { lanes, partitions = 4 }: ProjectorConfig): Promise<CheckpointWriter | undefined> {
  const { log, evidence, damage, clock, logger } = deps;
  if (!evidence || !damage) return undefined;
  const start = new StartCheck(deps, evidence, damage);
  const signing = new LogSigning({ log, evidence, start, now_ms: () => clock.now_ms(), logger, damage });
  const writer = new CheckpointWriter(log, new CoveredLanes(deps, lanes, partitions), signing);
  await writer.start();
  return writer;
}

/** Starts the background checks of log and rows; `owner` is the signer. */
function startChecks(deps: AppDeps, owner: CheckpointWriter | undefined): BackgroundChecks | undefined {
  const { evidence, damage } = deps;
  if (!evidence || !damage || !owner) return undefined;
  const checks = new BackgroundChecks(deps, { evidence, damage, owner, metrics: deps.metrics });
  checks.start();
  return checks;
}

/** Publishes the configured exports. */
async function startExports(deps: AppDeps, { exports = [] }: ProjectorConfig): Promise<ExportPublisher | undefined> {
  if (exports.length === 0) return undefined;
  const publisher = new ExportPublisher(deps);
  await publisher.start(exports);
  return publisher;
}

/**
 * Folds the log into the views of `@countersign/store`. Resolves when it has subscribed; ready once it has caught up with the log of that
 * time. @throws NewerViews if the tables belong to a newer build.
 */
export async function startProjector(deps: AppDeps, config: ProjectorConfig): Promise<RunningApp> {
  const { store, clock, logger } = deps;
  const projections = projectionsWith(config.exports ?? []);
  refuseNewer(
    (await readBuilds(store)).filter(({ state }) => state === 'live'),
    projections,
  );
  await keepStateSchema(store, packedCalls());
  await showAnalytics(store);
  const owner_id = uuidv7(clock.now_ms());
  const traced = deps.tracing ? { tracer: new CallTracer('projector', true) } : {};
  const refusals = new RefusedChanges(deps);
  await refusals.start();
  const heartbeat = new ConfigurationHeartbeat('projector', refusals, deps);
  heartbeat.start();
  const folder = new ViewFolder({ store, owner_id, projections, refusals, sink: logger, ...traced });
  const folded = checkedLog(deps, 'fold');
  const transport = transportOf(deps, folded ?? deps.log, config, folder);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(ProjectorModule.with(folder), {
    strategy: transport,
    logger: new NestLogger(logger),
  });
  await app.listen();
  const { log, codec, schemas } = deps;
  measureLag(folder, log, deps.metrics);
  measureApprovals(store, clock, deps.metrics);
  const replayed = checkedLog(deps, 'rebuild');
  const rebuilder = new Rebuilder({ log: replayed ?? log, codec, schemas, store, projections, refusals }, owner_id, logger);
  await rebuilder.start();
  const checkpoints = await startCheckpoints(deps, config);
  const checks = startChecks(deps, checkpoints);
  const timestamps = startTimestamps(deps, config.timestamps, checkpoints);
  const publisher = await startExports(deps, config);
  // Positions at which this process had caught up; undefined: it has not.
  const state: { caught_up: boolean; read?: Shown[] } = { caught_up: false };
  // Scores of only a part of the log, for example after the database was lost, are wrong: none is published until the views include the
  // whole log.
  const trust = new TrustScorePublisher(deps, () => state.read !== undefined && folder.shows(state.read) && folder.folds(GLOBAL, 0));
  await trust.start();
  const catchingUp = transport.caughtUp().then(
    () => {
      state.caught_up = true;
      state.read = folder.folded();
    },
    (cause) => logger.error({ event: 'catch_up_failed', cause: String(cause) }, 'the projector cannot catch up'),
  );
  return {
    ready: () => state.caught_up,
    close: async () => {
      state.caught_up = false;
      await app.close();
      await publisher?.close();
      await checks?.close();
      await timestamps?.close();
      await checkpoints?.close();
      await rebuilder.close();
      await trust.close();
      await folder.close();
      await heartbeat.close();
      await refusals.close();
      await Promise.all([folded?.close(), replayed?.close()]);
      await Promise.race([catchingUp, Promise.resolve()]);
    },
  };
}
