import type { AddressRules } from '@countersign/outbound';
import { type AppDeps, CallTracer, type Configuration, TenantMappings } from '@countersign/process';
import { Admission } from './admission/admission.js';
import { CallMapper } from './admission/call-mapper.js';
import { RecordGuard } from './admission/record-guard.js';
import type { CallbackDelivery } from './callbacks/callback-delivery.js';
import { Callbacks } from './callbacks/callbacks.js';
import { OwedCallbacks } from './callbacks/owed-callbacks.js';
import { Calls } from './calls.js';
import { CompensationSubmitter } from './compensation/compensation-submitter.js';
import { EffectReader } from './envelope/effect-reader.js';
import { CallFeeds } from './following/call-feed.js';
import { CallSealer } from './personal/call-sealer.js';
import { CallReader } from './recorded/call-reader.js';
import { Interventions } from './recorded/interventions.js';
import { RecordedCalls } from './recorded/recorded-calls.js';
import { CallCommands } from './recording/call-commands.js';
import { CallRecorder } from './recording/call-recorder.js';
import { CauseHashes } from './recording/cause-hashes.js';
import type { RecordWriter } from './recording/record-writer.js';
import type { AuthorityResolver } from './request/delegated-request.js';
import { RunningCalls } from './running-calls.js';
import { AnswerWriter } from './submitting/answer-writer.js';
import { CallPreparer } from './submitting/call-preparer.js';
import { CallSubmitter } from './submitting/call-submitter.js';
import { CallTracker } from './tracking/call-tracker.js';
import type { Views } from './views/views.js';
import { AnswerMetric } from './waiting/answer-metric.js';
import { TimerWheel } from './waiting/timer-wheel.js';
import { WatchedCalls } from './waiting/watched-calls.js';

/** Dependencies, besides the log and the stores, of a process that accepts calls. */
export interface CallsTerms {
  /** Folded from the log: tenants, tools and keys. */
  configuration: Configuration;
  /** Shared with the other writers of this process. */
  writer: RecordWriter;
  views: Views;
  authority: AuthorityResolver;
  /** Sends callbacks. */
  delivery: CallbackDelivery;
  callback_addresses: AddressRules;
}

export interface AssembledCalls {
  calls: Calls;
  /** Started before the first call is accepted, closed after the last one. */
  running: RunningCalls;
  tracker: CallTracker;
  sealer: CallSealer;
  mapper: CallMapper;
  /** Knows which tenants may write. */
  record: RecordGuard;
  compensations: CompensationSubmitter;
}

/** Builds everything that accepts calls, for every transport. One instance per process. */
export function assembleCalls(deps: AppDeps, terms: CallsTerms): AssembledCalls {
  const { clock, log, codec, store, keys, logger } = deps;
  const { configuration, writer, views, authority } = terms;
  const { answered, readable } = views;
  const watchedCalls = new WatchedCalls();
  const wheel = new TimerWheel(() => clock.monotonic_ms());
  const recorder = new CallRecorder(watchedCalls, writer, codec, store);
  const tracker = new CallTracker(watchedCalls, wheel, clock, { recorder, answered, metric: new AnswerMetric(deps.metrics) });
  const callbacks = new Callbacks(terms.delivery, watchedCalls, { logger, readable, owed: new OwedCallbacks(store) });
  const sealer = new CallSealer(deps.personal, configuration, clock);
  const mapper = new CallMapper(new TenantMappings(configuration), sealer);
  const record = new RecordGuard(configuration, deps.damage);
  const effects = new EffectReader(store);
  const submitter = new CallSubmitter(
    new Admission(configuration, log, { keys, sealer, record }, { callback_addresses: terms.callback_addresses }),
    recorder,
    tracker,
    {
      tracer: new CallTracer('gateway', deps.tracing),
      authority,
      preparer: new CallPreparer(mapper, sealer, recorder, store),
      callbacks,
      answers: new AnswerWriter(readable, effects),
    },
  );
  const terms_of_undo = { sealer, record, now_ms: () => clock.now_ms() };
  const compensations = new CompensationSubmitter(configuration, submitter, keys, terms_of_undo);
  const recorded = new RecordedCalls(tracker, views, new CallCommands(writer, codec, clock, new CauseHashes(log)));
  const reader = new CallReader(readable, effects);
  const interventions = new Interventions(recorded, sealer, reader);
  return {
    calls: new Calls(submitter, recorded, interventions, reader, new CallFeeds({ tracker, readable })),
    running: new RunningCalls(deps, watchedCalls, wheel, { callbacks, answered }),
    tracker,
    sealer,
    mapper,
    record,
    compensations,
  };
}
