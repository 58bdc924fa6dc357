import 'reflect-metadata';
import { LogTransport } from '@countersign/event-log';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import {
  type AppDeps,
  CircuitView,
  type Configuration,
  ConfigurationHeartbeat,
  foldConfiguration,
  type Logger,
  NestLogger,
  type RunningApp,
  SealedSecrets,
  TenantMappings,
  TrustScoreCache,
} from '@countersign/process';
import type { Pack } from '@countersign/tool-kit';
import { PatternPool } from '@countersign/tool-kit/pattern-search/pattern-pool';
import type { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { NestFactory } from '@nestjs/core';
import { type Announcement, announceTools } from './announcer.js';
import { builtIn } from './built-in/built-in-pack.js';
import { CircuitMetrics } from './circuits/circuit-metrics.js';
import { CircuitReporter } from './circuits/circuit-reporter.js';
import type { ExecutorConfig } from './config.js';
import { Credentials } from './credentials/credentials.js';
import { ReissueRequests } from './credentials/reissue-requests.js';
import { TokenBroker } from './credentials/token-broker.js';
import { Executor } from './executor.js';
import { ExecutorModule } from './executor.module.js';
import { HttpTools } from './http-tools/http-tools.js';
import { assembleLane, type SharedByLanes } from './lane/assemble-lane.js';
import { measureLoad } from './load-metric.js';
import { Mappings } from './mapping/mappings.js';
import { Memo } from './memo/memo.js';
import { OpenApiTools } from './openapi-tools/openapi-tools.js';
import { packs } from './packs.js';
import { prepareFolders, runFolders } from './run-folders.js';
import { measureTools, ToolTallies } from './tallies/tool-tallies.js';
import { TenantToolAnnouncer } from './tenant-tools/tenant-tool-announcer.js';
import { TenantTools } from './tenant-tools/tenant-tools.js';
import { admittedPacks } from './tool-runs/admitted-packs.js';
import { type HostedPack, hostOutside, hostPacks, unhealthyOf } from './tool-runs/hosted-packs.js';
import { type LoadedTool, loadTools } from './tool-runs/loaded-tool.js';
import { type PackLoading, PackReloader } from './tool-runs/pack-reloader.js';
import { ProgressHints } from './tool-runs/progress-hints.js';
import { prepareSchemaChecks } from './tool-runs/schema-checks.js';
import { ToolRuns } from './tool-runs/tool-runs.js';
import { ToolTable } from './tool-runs/tool-table.js';
import { ChangedLists } from './upstream-sessions/changed-lists.js';
import { openUpstreamSessions } from './upstream-sessions/open-upstream-sessions.js';
import { noUpstreams } from './upstream-sessions/upstream-settings.js';
import { LISTING_PACE } from './upstreams/listing-schedule.js';
import { startLister } from './upstreams/start-lister.js';
import { UpstreamCalls } from './upstreams/upstream-calls.js';
import { UpstreamTools } from './upstreams/upstream-tools.js';

const BATCH_MAX = 500;
/** With the pauses between them, eight questions outlast 45 seconds in which the system of record is restarted. */
const LIMITS = { resends_max: 3, asks_max: 8, grace_ms: 500, long_read_ms: 5000 };

/** The configuration that the executor folds. */
interface Folded {
  configuration: Configuration;
  trust: TrustScoreCache;
}

function lanesOf(
  deps: AppDeps,
  config: ExecutorConfig,
  { configuration, trust }: Folded,
  shared: Pick<SharedByLanes, 'runtime' | 'circuits'>,
) {
  const tools = new ToolTallies();
  measureTools(tools, deps.metrics);
  const { executor_id: instance_id, running_max, waiting_max, lease_ms } = config;
  const exclusive = !deps.store.durable;
  const options = {
    instance_id,
    running_max,
    waiting_max,
    lease_ms,
    heartbeat_ms: Math.min(1000, lease_ms / 4),
    exclusive,
    limits: LIMITS,
    trust,
  };
  return new Map(config.lanes.map((lane) => [lane, assembleLane(deps, { ...options, lane }, { ...shared, configuration, tools })]));
}

function transportOf(deps: AppDeps, lanes: readonly string[], executor: Executor): LogTransport {
  return new LogTransport({
    log: deps.log,
    codec: deps.codec,
    ...(deps.schemas ? { schemas: deps.schemas } : {}),
    group: 'executor',
    lanes,
    visibility: 'appended',
    batch_records_max: BATCH_MAX,
    now_ms: () => deps.clock.now_ms(),
    faults: deps.logger,
    owner: executor,
    poison: async (record) => executor.poison(record),
  });
}

function credentialsOf(
  { log, codec, clock, logger, vault, keys }: AppDeps,
  config: ExecutorConfig,
  configuration: Configuration,
): Credentials {
  const door = new OutboundDoor(AddressRules.forIdentity(config.identity_allow_private ?? false), config.proxies);
  const broker = new TokenBroker(vault, keys, clock, door);
  return new Credentials(configuration, vault, broker, { clock, reissue: new ReissueRequests(log, codec, clock, logger) });
}

/** The tools that single tenants have, announced as they come. */
function startTenantTools(
  deps: AppDeps,
  config: ExecutorConfig,
  configuration: Configuration,
  of_upstreams: UpstreamTools,
  announcement: () => Announcement,
) {
  const { keys, clock, logger } = deps;
  const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set(config.tool_endpoints_private ?? [])), config.proxies);
  prepareSchemaChecks();
  const http_tools = new HttpTools(configuration, new SealedSecrets(keys, 'tool-endpoint-secret'), door, clock);
  const tenant_tools = new TenantTools([http_tools, new OpenApiTools(configuration, door), of_upstreams]);
  const announce = (tools: readonly LoadedTool[], as: Announcement) => announceTools(deps, tools, configuration, as);
  const announcer = new TenantToolAnnouncer(configuration, tenant_tools, logger, announce);
  announcer.start(announcement);
  return { tenant_tools, announcer };
}

/** Sessions with upstreams, the lists of tools that changed there, and all that readiness reports. */
async function startUpstreams({ upstreams = noUpstreams(), proxies }: ExecutorConfig, hosted: readonly HostedPack[], logger: Logger) {
  const changed = new ChangedLists();
  const { sessions, unhealthy } = await openUpstreamSessions(upstreams, { logger, events: changed, proxies });
  return { sessions, changed, unhealthy: () => [...unhealthyOf(hosted), ...unhealthy] };
}

function logFaults(hosted: readonly HostedPack[], logger: Logger): void {
  for (const { pack, fault } of hosted)
    if (fault !== undefined) logger.error({ event: 'pack_not_loaded', pack: pack.name, fault }, 'a custom pack cannot be loaded');
}

/** Takes new code of external packs while the executor runs. */
function startReloader(
  config: ExecutorConfig,
  { hosted, table, folders }: { hosted: HostedPack[]; table: ToolTable; folders: ReadonlyMap<string, TenantFolders> },
  announce: PackLoading['announce'],
  logger: Logger,
): PackReloader {
  const { environment, children, packs_watch_ms = 0 } = config;
  const loading: PackLoading = {
    load: async (place, beside) => {
      const next = await hostOutside(place, place, { ...children, environment });
      return admittedPacks([...beside, next], environment).at(-1) as HostedPack;
    },
    toolsOf: (pack) => loadTools([pack], environment, folders),
    announce,
  };
  const reloader = new PackReloader(hosted, table, loading, logger);
  reloader.start(packs_watch_ms);
  return reloader;
}

/** Whether everything that was on the topics has been read. */
function whenCaughtUp(transport: LogTransport): () => boolean {
  const read = { all: false };
  void transport.caughtUp().then(
    () => {
      read.all = true;
    },
    () => undefined, // the executor closed before it caught up
  );
  return () => read.all;
}

/** Starts executing the calls of `config.lanes`: announces its tools, acquires its leases, then reads authorized calls. */
export async function startExecutor(deps: AppDeps, config: ExecutorConfig, registry: readonly Pack[] = packs): Promise<RunningApp> {
  const { clock, logger } = deps;
  const named = await hostPacks(registry, config.packs, { ...config.children, environment: config.environment });
  const hosted = admittedPacks([...(await hostPacks([builtIn], [builtIn.name])), ...named], config.environment);
  logFaults(hosted, logger);
  const configuration = foldConfiguration(deps);
  const folders = await runFolders(
    hosted.map(({ pack }) => pack),
    config.environment,
    configuration,
    logger,
  );
  const tools = loadTools(hosted, config.environment, folders);
  await configuration.start();
  await prepareFolders(folders).catch(async (fault) => {
    await configuration.close();
    throw fault;
  });
  const trust = new TrustScoreCache(deps);
  await trust.start();
  const upstreams = await startUpstreams(config, hosted, logger);
  const heartbeat = new ConfigurationHeartbeat('executor', configuration, deps, upstreams.unhealthy);
  heartbeat.start();
  const { executor_id, lanes, environment_name: environment } = config;
  const announcement = () => ({ tenant_id: null, executor_id, lanes, environment, now_ms: clock.now_ms() });
  await announceTools(deps, tools.values(), configuration, announcement());
  const of_upstreams = new UpstreamTools(configuration, new UpstreamCalls(configuration, upstreams.sessions));
  const { tenant_tools, announcer } = startTenantTools(deps, config, configuration, of_upstreams, announcement);
  const credentials = credentialsOf(deps, config, configuration);
  const patterns = new PatternPool();
  const around = { logger, clock, blobs: deps.blobs, progress: new ProgressHints(deps.wake_ups), credentials, patterns };
  const table = new ToolTable(tools, tenant_tools);
  const memo = new Memo(deps.results, deps.keys, configuration);
  const runtime = new ToolRuns(table, around, memo, new Mappings(new TenantMappings(configuration)));
  const announce: PackLoading['announce'] = (found) => announceTools(deps, found, configuration, announcement());
  const reloader = startReloader(config, { hosted, table, folders }, announce, logger);
  const view = new CircuitView(deps);
  await view.start();
  const circuits = new CircuitReporter(deps, view, new CircuitMetrics(view, deps.metrics));
  circuits.start();
  const executor = new Executor(lanesOf(deps, config, { configuration, trust }, { runtime, circuits }));
  measureLoad(executor, deps.metrics);
  await executor.start();
  const transport = transportOf(deps, config.lanes, executor);
  const app = await NestFactory.createMicroservice(ExecutorModule.with(executor), { strategy: transport, logger: new NestLogger(logger) });
  await app.listen();
  const servers = { sessions: upstreams.sessions, changed: upstreams.changed };
  const lister = startLister(deps, configuration, servers, { executor_id, lanes, pace: config.listing_pace ?? LISTING_PACE });
  const caughtUp = whenCaughtUp(transport);
  return {
    ready: () => caughtUp() && executor.ready,
    unhealthy: upstreams.unhealthy,
    close: async () => {
      lister.close();
      announcer.close();
      await reloader.close();
      await app.close();
      await executor.close();
      await Promise.all(hosted.map((each) => each.runtime.close()));
      await upstreams.sessions.close();
      await patterns.close();
      await heartbeat.close();
      await configuration.close();
      await trust.close();
      await circuits.close();
      await view.close();
    },
  };
}
