import { setTimeout as sleep } from 'node:timers/promises';
import { armCrashPoint } from '@countersign/contracts';
import { z } from 'zod';
import type { AppDeps, RunningApp } from './app-deps.js';
import { cannotListen } from './cannot-listen.js';
import { CannotOpen } from './cannot-open.js';
import { yieldEngineThreads } from './engine-threads.js';
import { HealthServer, type Readiness } from './health-server.js';
import { inTurns } from './in-turns.js';
import { guardStream } from './masking/live-secrets.js';
import { metricsToken } from './metrics-access.js';
import { openPlatform, type Platform } from './platform.js';
import { type PlatformConfig, parsePlatformConfig } from './platform-config.js';
import { type Environment, type ParsedConfig, readSettings, wholeNumber } from './settings.js';
import { startTelemetry } from './telemetry.js';
import { folderFault } from './usable-folder.js';

const FAILED_CLOSE_MS = 10_000;

/** What a main provides: how its configuration is read and how its services start. */
export interface Service<C> {
  name: string;
  parse(env: Environment, platform: PlatformConfig): ParsedConfig<C>;
  start(deps: AppDeps, config: C): Promise<RunningApp>;
  /** The service itself serves /healthz, /readyz and /metrics (the gateway's HTTP server). */
  has_http?: boolean;
}

/** The variables of services that serve health on a separate port. */
export const healthVariables = z.object({
  COUNTERSIGN_HEALTH_PORT: wholeNumber(0, 65_535)
    .default(0)
    .describe('port of `/healthz`, `/readyz` and `/metrics` of every service but the gateway; 0: any free port'),
  COUNTERSIGN_HEALTH_HOST: z.string().default('127.0.0.1').describe('address of the health port'),
  COUNTERSIGN_METRICS_TOKEN: metricsToken,
});

type Configured<C> = { config: C; platform: PlatformConfig; health: { port: number; host: string; metrics_token: string | undefined } };

function configure<C>(service: Service<C>, env: Environment): ParsedConfig<Configured<C>> {
  const platform = parsePlatformConfig(env);
  const defaults = parsePlatformConfig({}) as { config: PlatformConfig };
  const own = service.parse(env, 'config' in platform ? platform.config : defaults.config);
  const health = readSettings(healthVariables, env);
  const folder = 'config' in platform ? folderFault('COUNTERSIGN_DATA_DIR', platform.config.data_dir) : undefined;
  if ('config' in platform && 'config' in own && 'config' in health && folder === undefined) {
    return {
      config: {
        config: own.config,
        platform: platform.config,
        health: {
          port: health.config.COUNTERSIGN_HEALTH_PORT,
          host: health.config.COUNTERSIGN_HEALTH_HOST,
          metrics_token: health.config.COUNTERSIGN_METRICS_TOKEN,
        },
      },
    };
  }
  const faults = [
    ...('faults' in platform ? platform.faults : []),
    ...('faults' in own ? own.faults : []),
    ...('faults' in health ? health.faults : []),
    ...(folder === undefined ? [] : [folder]),
  ];
  return { faults: [...new Set(faults)] };
}

/**
 * Runs a process: configuration (all faults together, one line each), the parts, the services, health, and an orderly end on SIGTERM or
 * SIGINT. Resolves with the exit code: 0 after an orderly end, 1 if it cannot run or continue. After 1 the caller ends the process, so
 * that parts that do not close cannot keep it alive.
 */
export async function runService<C>(service: Service<C>, env: Environment): Promise<number> {
  yieldEngineThreads(env);
  const configured = configure(service, env);
  if ('faults' in configured) {
    for (const fault of configured.faults) process.stderr.write(`countersign: ${fault}\n`);
    return 1;
  }
  const { config, platform: platformConfig, health } = configured.config;
  guardStream(process.stdout);
  guardStream(process.stderr);
  try {
    if (platformConfig.crash_at) armCrashPoint(platformConfig.crash_at);
    const stopTelemetry = platformConfig.tracing ? await startTelemetry(service.name) : async () => undefined;
    const platform = await openPlatform(service.name, platformConfig);
    const { app, health_server } = await started(service, platform, config, health);
    void inTurns(platform.deps.codec.compileCallTypes());
    const failure = await Promise.race([terminationSignal(), platform.failed]);
    const closing = (async () => {
      await health_server?.close();
      await app.close();
      await platform.close();
      await stopTelemetry();
    })();
    if (failure === undefined) await closing;
    else await failedEnd(platform, failure, closing);
    return failure === undefined ? 0 : 1;
  } catch (error) {
    if (error instanceof CannotOpen) process.stderr.write(`countersign: ${error.message}\n`);
    else process.stderr.write(`countersign: ${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

function readinessOf(app: RunningApp, { log, damage }: AppDeps): Readiness {
  if (!app.ready() || log.health !== 'open') return 'catching_up';
  return damage?.open.length ? 'tampered' : 'ready';
}

interface Started {
  app: RunningApp;
  health_server?: HealthServer;
}

/** Starts the service, and health and metrics if it has no HTTP server of its own. If listening fails, everything is closed again. */
async function started<C>(service: Service<C>, platform: Platform, config: C, health: Configured<C>['health']): Promise<Started> {
  const { deps } = platform;
  let app: RunningApp | undefined;
  let names = { port: 'COUNTERSIGN_PORT', host: 'COUNTERSIGN_HOST' };
  try {
    const running = await service.start(deps, config);
    app = running;
    if (service.has_http) return { app };
    names = { port: 'COUNTERSIGN_HEALTH_PORT', host: 'COUNTERSIGN_HEALTH_HOST' };
    const health_server = new HealthServer(
      () => readinessOf(running, deps),
      deps.metrics,
      health.metrics_token,
      () => running.unhealthy?.() ?? [],
    );
    const port = await health_server.listen(health.port, health.host);
    deps.logger.info({ event: 'health_server_started', host: health.host, port }, 'serving health and metrics');
    return { app, health_server };
  } catch (error) {
    await app?.close();
    await platform.close();
    throw cannotListen(error, names) ?? error;
  }
}

/** Ends the process after a part failed. Closes what can be closed; the supervisor starts another process in any case. */
async function failedEnd(platform: Platform, reason: string, closing: Promise<void>): Promise<void> {
  platform.deps.logger.error({ event: 'process_failed', reason }, 'the process exits with code 1');
  await Promise.race([closing.catch(() => undefined), sleep(FAILED_CLOSE_MS, undefined, { ref: false })]);
}

function terminationSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve(undefined));
    process.once('SIGINT', () => resolve(undefined));
  });
}
