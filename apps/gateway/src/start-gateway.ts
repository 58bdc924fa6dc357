import { type AssembledCalls, Readable, RecordWriter, Views } from '@countersign/calls';
import { BatchDecoder, RequeuedRecords } from '@countersign/event-log';
import { type AppDeps, type Configuration, ConfigurationHeartbeat, foldConfiguration, type RunningApp } from '@countersign/process';
import { logAuditFaults } from './audit/audit-parts.js';
import { firstStart } from './bootstrap/first-start.js';
import { type GatewayConfig, publicUrl } from './config.js';
import { listen } from './listen.js';
import { NotificationReader } from './notifications/notification-reader.js';
import { NOTIFICATION_GROUP, startNotifications } from './notifications/notifications.module.js';
import { SagaNotificationDetails } from './notifications/saga-notification-details.js';
import { ToolSunsetScheduler } from './notifications/tool-sunset-scheduler.js';
import { signInUrl } from './sessions/sign-in-links.js';
import { createHttpApp } from './start-http.js';

import { type Beside, type Wired, wire } from './wire-gateway.js';

export interface RunningGateway extends RunningApp {
  /** The port that it listens on. */
  port: number;
  /** Submits and follows calls for other services of this process. */
  shared: {
    configuration: Configuration;
    calls: Pick<AssembledCalls, 'calls' | 'compensations' | 'sealer'>;
    views: Views;
    readable: Readable;
  };
  /** The admin key, only if this was the first start of the installation. Show it once. */
  admin_key: string | undefined;
  /** One-time link for the browser of this machine; only if this was the first start. Show it once. */
  sign_in_url: string | undefined;
}

function sharedOf({ calls, compensations, sealer, readable }: Wired, configuration: Configuration): RunningGateway['shared'] {
  return { configuration, calls: { calls, compensations, sealer }, views: calls.recorded.views, readable };
}

/** What the first start of an installation shows. */
function shownOnce(
  first: Awaited<ReturnType<typeof firstStart>>,
  host: string,
  port: number,
): Pick<RunningGateway, 'admin_key' | 'sign_in_url'> {
  const { admin_key, sign_in_token } = first ?? {};
  return { admin_key, sign_in_url: sign_in_token && signInUrl(host, port, sign_in_token) };
}

/**
 * Starts the gateway: HTTP on `config.port`. Resolves when it listens, has folded the configuration and follows its lanes. @throws if the port is in use.
 */
export async function startGateway(deps: AppDeps, config: GatewayConfig, beside: Beside = { ready: () => true }): Promise<RunningGateway> {
  const state = { caught_up: false };
  const configuration = foldConfiguration(deps);
  const wired = wire(deps, config, configuration, new RecordWriter(deps.log), {
    ...beside,
    ready: () => state.caught_up && beside.ready(),
  });
  const heartbeat = new ConfigurationHeartbeat('gateway', configuration, deps);
  const ended: { notifications?: () => Promise<void> } = {};
  const sunsets = new ToolSunsetScheduler(wired.configuration, wired.notifications, deps.store, deps.logger);
  const close = async () => {
    state.caught_up = false;
    await heartbeat.close();
    await wired.producers.readers.close();
    await wired.event_feeds.close();
    await wired.running.close();
    await wired.sagas.watches.close();
    await wired.access.refused.close();
    await wired.key_uses.close();
    wired.subjects?.retention.close();
    await sunsets.close();
    await wired.usage.closer.close();
    await wired.notifications.close();
    wired.mailer.close();
    await ended.notifications?.();
    await Promise.all([configuration.close(), wired.trustScores.close(), wired.checked?.close()]);
  };
  try {
    await Promise.all([configuration.start(), wired.trustScores.start()]);
    heartbeat.start();
    await wired.subjects?.erasure.reconcile(configuration.state);
    wired.subjects?.retention.start();
    const first = await firstStart(configuration, wired.configuration.writer, { data_dir: config.data_dir, clock: deps.clock });
    await wired.running.start(config.lanes);
    await wired.sagas.watches.start(config.lanes);
    if (wired.audit) await logAuditFaults(wired.audit, deps.logger);
    const reader = new NotificationReader(
      wired.notifications,
      wired.configuration,
      new SagaNotificationDetails(deps.store, publicUrl(config), deps.logger),
      new RequeuedRecords(deps.log, new BatchDecoder(deps.codec, deps.schemas), NOTIFICATION_GROUP),
    );
    sunsets.start();
    wired.producers.readers.start();
    wired.usage.closer.start();
    ended.notifications = await startNotifications(deps, config.lanes, reader);
    const app = await createHttpApp(wired, deps.logger);
    const listening = await listen(app, config, wired.bounds);
    state.caught_up = true;
    const stop = () => {
      wired.streams.close();
      return listening.close().then(close);
    };
    return {
      ...shownOnce(first, config.host, listening.port),
      shared: sharedOf(wired, configuration),
      port: listening.port,
      ready: () => state.caught_up,
      close: stop,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}
