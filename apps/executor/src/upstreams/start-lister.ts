import type { AppDeps, Configuration } from '@countersign/process';
import { oldestHolder } from '@countersign/store';
import { ListingCredentials } from './listing-credentials.js';
import { ListingRecorder } from './listing-recorder.js';
import type { ListingPace } from './listing-schedule.js';
import { type Servers, UpstreamLister } from './upstream-lister.js';

/** Starts listing the upstreams of the tenants of these lanes. In each lane the executor with the oldest lease lists. */
export function startLister(
  { log, codec, store, vault, clock, logger }: AppDeps,
  configuration: Configuration,
  servers: Servers,
  terms: { executor_id: string; lanes: readonly string[]; pace: ListingPace },
): UpstreamLister {
  const recorder = new ListingRecorder(log, codec, configuration);
  const recording = { recorder, credentials: new ListingCredentials(vault, clock), clock, logger };
  const lists = async (lane: string) => (await oldestHolder(store, lane)) === terms.executor_id;
  const lister = new UpstreamLister(configuration, servers, recording, { ...terms, lists });
  lister.start();
  return lister;
}
