import {
  AnsweredPositions,
  type AuthorityResolver,
  assembleCalls,
  type CallbackDelivery,
  Readable,
  RecordWriter,
  Refusal,
  Views,
} from '@countersign/calls';
import { AddressRules } from '@countersign/outbound';
import { type AppDeps, ConfigurationHeartbeat, foldConfiguration, type RunningApp } from '@countersign/process';
import type { OrchestratorConfig } from './config.js';
import { startOrchestrator } from './start-orchestrator.js';

/** Steps have the authority that was recorded with their saga: none is resolved here. */
const recordedAuthority: AuthorityResolver = {
  of: async () => new Refusal('forbidden', 'a step of a saga acts with the authority of its saga', { reason: 'role_missing' }),
};

/** Steps have no callbacks. */
const noCallbacks: CallbackDelivery = { send: async () => 'refused' };

/** Starts the orchestrator in its own process, with its own way to submit and follow calls. */
export async function startDistributed(deps: AppDeps, config: OrchestratorConfig): Promise<RunningApp> {
  const configuration = foldConfiguration(deps);
  await configuration.start();
  const heartbeat = new ConfigurationHeartbeat('orchestrator', configuration, deps);
  heartbeat.start();
  const readable = new Readable(deps.personal, configuration);
  const views = new Views(deps.store, new AnsweredPositions(), () => deps.clock.monotonic_ms(), readable);
  const calls = assembleCalls(deps, {
    configuration,
    writer: new RecordWriter(deps.log),
    views,
    authority: recordedAuthority,
    delivery: noCallbacks,
    callback_addresses: AddressRules.forCallbacks(false),
  });
  await calls.running.startWithoutCallbacks(config.lanes);
  const app = await startOrchestrator(deps, config, { configuration, calls, views, readable });
  return {
    ready: () => app.ready(),
    async close() {
      await app.close();
      await calls.running.close();
      await heartbeat.close();
      await configuration.close();
    },
  };
}
