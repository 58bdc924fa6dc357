import { CallSealer, type Readable, RecordWriter, type TimerWheel, type Views } from '@countersign/calls';
import { parseCallId, uuidv7 } from '@countersign/contracts';
import { baseOf, itemNames } from '@countersign/domain';
import { type AppDeps, type Configuration, PastTrust, TrustBook, topicSpecs } from '@countersign/process';
import { CaseFeeds } from './cases/case-feed.js';
import { DEFAULT_STREAMS, type GatewayConfig } from './config.js';
import { ConfigurationRoom } from './configuration/configuration-room.js';
import { RecordingReader } from './counterfactual/recording-reader.js';
import { type GatewayParts } from './gateway.module.js';
import type { Face } from './http/face.js';
import { ConfigurationWriter } from './identity/configuration-writer.js';
import { DelegatedAuthority } from './identity/delegated-authority.js';
import type { TokenPrincipals } from './identity/token-principals.js';
import { NoticeClaims } from './notices/notice-claims.js';
import { NoticeSender, type SenderParts } from './notices/notice-sender.js';
import { RetentionRoom } from './personal/retention-room.js';
import { SubjectRoom } from './personal/subject-room.js';
import { ReplayBundles } from './runs/replay-bundles.js';
import { Transcripts } from './runs/transcripts.js';
import { OpenStreams } from './streams/open-streams.js';
import { StreamPlaces } from './streams/stream-places.js';
import { TrustReader } from './trust/trust-reader.js';
import { OperatorCommands } from './usage/operator-commands.js';
import { type CloserParts, PeriodCloser } from './usage/period-closer.js';
import { measureUsage } from './usage/usage-gauges.js';
import { UsageReport } from './usage/usage-report.js';
import { UsageRoom } from './usage/usage-room.js';

/** What operators say is written and sealed with. */
export type Pen = { writer: RecordWriter; sealer: CallSealer };

export function replayBundles(deps: AppDeps, state: () => Configuration['state'], { writer, sealer }: Pen): ReplayBundles {
  const transcripts = new Transcripts(deps, state, new OperatorCommands(writer, deps.codec, deps.clock, sealer));
  return new ReplayBundles(deps, state, new RecordingReader(deps), transcripts);
}

/** Reads a call for who acts for somebody else once the views show it. */
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

/** What event streams are opened and fed by. */
export function eventStreams(
  { store, clock, metrics }: AppDeps,
  config: GatewayConfig,
  { face, wheel, readable }: { face: Face; wheel: TimerWheel; readable: Readable },
): Pick<GatewayParts, 'streams' | 'case_feeds'> {
  const { age_max_ms, ...limits } = config.streams ?? DEFAULT_STREAMS;
  const time = { monotonic_ms: () => clock.monotonic_ms(), age_max_ms };
  return {
    streams: new OpenStreams(new StreamPlaces(limits, metrics), face, wheel, time),
    case_feeds: new CaseFeeds({ sql: store, wheel, readable }),
  };
}

export function subjectRooms({ personal, logger }: AppDeps, settings: ConfigurationRoom): GatewayParts['subjects'] {
  return personal && { erasure: new SubjectRoom(personal, settings), retention: new RetentionRoom(personal, settings, logger) };
}

export function noticeSender(
  { store, clock, logger }: AppDeps,
  configuration: Configuration,
  writer: ConfigurationWriter,
  more: Pick<SenderParts, 'channels' | 'readable'>,
): NoticeSender {
  const by = { kind: 'service' as const, id: 'gateway', roles: [] };
  const now_ms = () => clock.now_ms();
  return new NoticeSender({
    ...more,
    now_ms,
    logger,
    claims: new NoticeClaims(store, `gateway-${uuidv7(now_ms())}`),
    state: () => configuration.state,
    // Only the channel as it was sent to: one that was changed meanwhile may be at another address now.
    disable: async (tenant_id, webhook) => {
      const { state } = configuration;
      const versions = baseOf(state.changes, tenant_id, [itemNames.webhook(webhook.webhook_id)]);
      if (state.by_tenant.get(tenant_id)?.webhooks.get(webhook.webhook_id) !== webhook) return;
      const disabled = { ...webhook, state: 'disabled' as const, by, changed_at_ms: now_ms() };
      await writer.change(tenant_id, 'webhook_set', disabled, { versions, is_required: false });
    },
  });
}

export function trustReader(
  { store, log, clock, codec }: AppDeps,
  lanes: readonly string[],
  book: TrustBook,
  { writer, sealer }: Pen,
): TrustReader {
  const topics = new Map(topicSpecs(lanes, log.partitions('policy-decided')).map(({ name, partitions }) => [name, partitions]));
  return new TrustReader(store, new PastTrust(store, log), clock, {
    book,
    commands: new OperatorCommands(writer, codec, clock, sealer),
    topics,
  });
}

export function usageRoom(
  { store, log, clock, logger, codec, metrics }: AppDeps,
  lanes: readonly string[],
  by: Pen & { configuration: Configuration; changes: ConfigurationWriter; told: NoticeSender },
): UsageRoom {
  const state = () => by.configuration.state;
  const tell: CloserParts['tell'] = (notice, done) => by.told.tell(notice, done);
  measureUsage(store, () => clock.now_ms(), metrics);
  const closer = new PeriodCloser({ state, writer: by.changes, tell, store, log, lanes, clock, logger });
  return new UsageRoom(new UsageReport(store, state), closer, new OperatorCommands(by.writer, codec, clock, by.sealer), state);
}
