import { CallSealer, type Readable, RecordWriter, type TimerWheel, type Views } from '@countersign/calls';
import { parseCallId, uuidv7 } from '@countersign/contracts';
import { BatchDecoder } from '@countersign/event-log';
import { type AppDeps, type Configuration, PastTrust, TrustScoreCache, topicSpecs } from '@countersign/process';
import { DelegatedAuthority } from './authentication/delegated-authority.js';
import type { TokenPrincipals } from './authentication/token-principals.js';
import { CaseFeeds } from './cases/case-feed.js';
import type { CircuitReader } from './circuits/circuit-reader.js';
import { DEFAULT_STREAMS, type GatewayConfig } from './config.js';
import { ConfigurationService } from './configuration/configuration.service.js';
import { ConfigurationWriter } from './configuration/configuration-writer.js';
import { RecordingReader } from './counterfactual/recording-reader.js';
import { EventFeeds } from './events/event-feeds.js';
import { type GatewayParts } from './gateway.module.js';
import type { RequestAccess } from './http/request-access.js';
import { ChannelDelivery } from './notifications/channel-delivery.js';
import { NotificationClaims } from './notifications/notification-claims.js';
import { NotificationSender } from './notifications/notification-sender.js';
import { NotificationTargets } from './notifications/notification-targets.js';
import type { RecordedChannels } from './notifications/recorded-channels.js';
import { KeyRetention } from './personal-data/key-retention.js';
import { SubjectEraser } from './personal-data/subject-eraser.js';
import { ReplayBundles } from './runs/replay-bundles.js';
import { Transcripts } from './runs/transcripts.js';
import { OpenStreams } from './streams/open-streams.js';
import { StreamPlaces } from './streams/stream-places.js';
import { TrustReader } from './trust/trust-reader.js';
import { OperatorCommands } from './usage/operator-commands.js';
import { PeriodAnnouncer } from './usage/period-announcer.js';
import { PeriodCloser } from './usage/period-closer.js';
import { measureUsage } from './usage/usage-gauges.js';
import { UsageReport } from './usage/usage-report.js';
import { UsageTables } from './usage/usage-tables.js';

/** Writes operator commands and encrypts their personal data. */
export type Pen = { writer: RecordWriter; sealer: CallSealer };

export function replayBundles(deps: AppDeps, state: () => Configuration['state'], { writer, sealer }: Pen): ReplayBundles {
  const transcripts = new Transcripts(deps, state, new OperatorCommands(writer, deps.codec, deps.clock, sealer));
  return new ReplayBundles(deps, state, new RecordingReader(deps), transcripts);
}

/** Resolves delegated authority: reads a call once the views show it. */
export function delegatedAuthority(
  { vault, clock }: AppDeps,
  configuration: Configuration,
  tokens: TokenPrincipals,
  views: Views,
): DelegatedAuthority {
  const call = async (tenantId: string, callId: string) => {
    await views.caughtUp(parseCallId(callId)?.partition ?? 0);
    return views.call(tenantId, callId);
  };
  return new DelegatedAuthority(configuration, tokens, vault, { call, now_ms: () => clock.now_ms() });
}

/** Opens event streams and supplies their data. */
export function eventStreams(
  { store, log, codec, schemas, logger, clock, metrics }: AppDeps,
  config: GatewayConfig,
  { access, wheel, readable }: { access: RequestAccess; wheel: TimerWheel; readable: Readable },
): Pick<GatewayParts, 'streams' | 'case_feeds' | 'event_feeds'> {
  const { age_max_ms, ...limits } = config.streams ?? DEFAULT_STREAMS;
  const monotonic_ms = () => clock.monotonic_ms();
  const time = { monotonic_ms, age_max_ms };
  const source = { log, store, decoder: new BatchDecoder(codec, schemas), logger, wheel, monotonic_ms };
  return {
    streams: new OpenStreams(new StreamPlaces(limits, metrics), access, wheel, time),
    case_feeds: new CaseFeeds({ sql: store, wheel, readable }),
    event_feeds: new EventFeeds(source, config.lanes),
  };
}

export function personalDataParts({ personal, logger }: AppDeps, settings: ConfigurationService): GatewayParts['subjects'] {
  return personal && { erasure: new SubjectEraser(personal, settings), retention: new KeyRetention(personal, settings, logger) };
}

export function notificationSender(
  { store, clock, logger }: AppDeps,
  { configuration, changes }: { configuration: Configuration; changes: ConfigurationWriter },
  channels: RecordedChannels,
  readable: Readable,
): NotificationSender {
  const now_ms = () => clock.now_ms();
  const targets = new NotificationTargets(configuration, changes, now_ms);
  const claims = new NotificationClaims(store, `gateway-${uuidv7(now_ms())}`);
  return new NotificationSender(targets, new ChannelDelivery(targets, channels, claims, readable), logger);
}

export function trustReader(
  { store, log, clock, codec }: AppDeps,
  lanes: readonly string[],
  known: { trustScores: TrustScoreCache; circuits: CircuitReader },
  { writer, sealer }: Pen,
): TrustReader {
  const topics = new Map(topicSpecs(lanes, log.partitions('policy-decided')).map(({ name, partitions }) => [name, partitions]));
  return new TrustReader(store, new PastTrust(store, log), clock, {
    ...known,
    commands: new OperatorCommands(writer, codec, clock, sealer),
    topics,
  });
}

export function usageParts(
  { store, log, clock, logger, codec, metrics }: AppDeps,
  lanes: readonly string[],
  { writer, sealer }: Pen,
  by: { configuration: ConfigurationService; sender: NotificationSender },
): GatewayParts['usage'] {
  measureUsage(store, () => clock.now_ms(), metrics);
  const announcer = new PeriodAnnouncer(by.sender, by.configuration.writer, logger);
  return {
    report: new UsageReport(store, () => by.configuration.state),
    closer: new PeriodCloser(by.configuration, new UsageTables(store, log, lanes), announcer, logger),
    commands: new OperatorCommands(writer, codec, clock, sealer),
  };
}
