import { TenantRulings } from '@countersign/decisions';
import { BatchDecoder } from '@countersign/event-log';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import {
  type AppDeps,
  CallTracer,
  type Configuration,
  ConfigurationWitness,
  coveredTopicSpecs,
  foldConfiguration,
  HistoryBook,
  RecordedDamage,
  type RunningApp,
  TenantMappings,
  TrustBook,
} from '@countersign/process';
import { Admission } from './admission/admission.js';
import { CallCommands } from './admission/call-commands.js';
import { CallDesk } from './admission/call-desk.js';
import { CallMapper } from './admission/call-mapper.js';
import { EditDesk } from './admission/edited-inputs.js';
import { type InFlightShares, shareInFlight } from './admission/in-flight-shares.js';
import { RecordWriter } from './admission/record-writer.js';
import { AuditRoom } from './audit/audit-room.js';
import { firstStart } from './bootstrap/first-start.js';
import { HttpBounds } from './bounds/http-bounds.js';
import { defaultHttpLimits } from './bounds/http-limits.js';
import { type GatewayConfig, publicUrl } from './config.js';
import { CounterfactualRoom } from './counterfactual/counterfactual-room.js';
import { delegatedAuthority, eventStreams, noticeSender, replayBundles, subjectRooms, trustRoom, usageRoom } from './feature-services.js';
import { createHttpApp, type GatewayParts, listen } from './gateway.module.js';
import { CallIntake } from './http/call-intake.js';
import { CallRoom } from './http/call-room.js';
import { ConfigurationRoom } from './http/configuration-room.js';
import { EffectReader } from './http/effect-reader.js';
import { Face } from './http/face.js';
import { Health } from './http/health.js';
import { KnownCalls } from './http/known-calls.js';
import { AnsweredPositions } from './http/positions.js';
import { StoredBlobs } from './http/stored-blobs.js';
import { Views } from './http/views.js';
import { VoteRoom } from './http/vote-room.js';
import { Authenticator } from './identity/authenticator.js';
import { ConfigurationWriter } from './identity/configuration-writer.js';
import { ProviderKeys } from './identity/provider-keys.js';
import { RefusedRequests } from './identity/refused-requests.js';
import { TokenPrincipals } from './identity/token-principals.js';
import { VerifiedTokens } from './identity/verified-tokens.js';
import { Channels } from './notices/channels.js';
import { DecisionLinks } from './notices/decision-link.js';
import { Mailer } from './notices/mailer.js';
import { NoticeRoom } from './notices/notice-room.js';
import { NoticeSender } from './notices/notice-sender.js';
import { Notices } from './notices/notices.js';
import { startNotices } from './notices/notices.module.js';
import { SealedSecrets } from './notices/sealed-secret.js';
import { VersionKeeper } from './notices/version-keeper.js';
import { CallSealer } from './personal/call-sealer.js';
import { LogDrop } from './personal/log-drop.js';
import { Readable } from './personal/readable.js';
import { PolicyRoom } from './policies/policy-room.js';
import { SimulationReports } from './policies/simulation-reports.js';
import { AnswerMetric } from './waiting/answer-metric.js';
import { BoardFollower } from './waiting/board-follower.js';
import { CallBoard } from './waiting/call-board.js';
import { CallbackSender } from './waiting/callback-sender.js';
import { Callbacks } from './waiting/callbacks.js';
import { OwedCallbacks } from './waiting/owed-callbacks.js';
import { followProgress } from './waiting/progress.js';
import { Resume } from './waiting/resume.js';
import { TimerWheel } from './waiting/timer-wheel.js';
import { takeHints } from './waiting/wake-ups.js';

export interface RunningGateway extends RunningApp {
  /** The port that it listens on. */
  port: number;
  /** The admin key, where this start was the installation's first. Show it once. */
  admin_key: string | undefined;
}

interface Wired extends GatewayParts {
  board: CallBoard;
  wheel: TimerWheel;
  callbacks: Callbacks;
  told: NoticeSender;
  mailer: Mailer;
  book: TrustBook;
}

/** Topics of which records are listed and proven. */
const auditedTopics = (lanes: readonly string[]) => new Set(coveredTopicSpecs(lanes, 1).map(({ name }) => name));

function waysOut({ identity_allow_private = false, callback_allow_private, proxies }: GatewayConfig) {
  const identity_addresses = AddressRules.forIdentity(identity_allow_private);
  const callback_addresses = AddressRules.forCallbacks(callback_allow_private);
  const identity_door = new OutboundDoor(identity_addresses, proxies);
  return { identity_addresses, callback_addresses, identity_door, callback_door: new OutboundDoor(callback_addresses, proxies) };
}

function wire(deps: AppDeps, config: GatewayConfig, configuration: Configuration, writer: RecordWriter, ready: () => boolean): Wired {
  const { clock, log, codec, store, keys, logger } = deps;
  const monotonic = () => clock.monotonic_ms();
  const now_ms = () => clock.now_ms();
  const changes = new ConfigurationWriter(writer, configuration, codec, { clock, store });
  const { identity_addresses, callback_addresses, identity_door, callback_door } = waysOut(config);
  const verified = new VerifiedTokens(configuration, changes, { now_ms, logger });
  const tokens = new TokenPrincipals(configuration, new ProviderKeys(identity_door), now_ms, verified);
  const board = new CallBoard();
  const wheel = new TimerWheel(monotonic);
  const answered = new AnsweredPositions();
  const readable = new Readable(deps.personal, configuration);
  const views = new Views(store, answered, monotonic, readable);
  const delegated = delegatedAuthority(deps, configuration, tokens, views);
  const desk = new CallDesk(board, writer, codec, store);
  const sender = new CallbackSender(keys, now_ms, callback_door);
  const sealer = new CallSealer(deps.personal, configuration, clock);
  const mapper = new CallMapper(new TenantMappings(configuration), sealer);
  const refused = new RefusedRequests(deps);
  const tracer = new CallTracer('gateway', deps.tracing);
  const owed = new OwedCallbacks(store);
  const callbacks = new Callbacks(sender, board, { logger, readable, owed });
  const secrets = new SealedSecrets(keys);
  const links = new DecisionLinks(keys, publicUrl(config), now_ms);
  const mailer = new Mailer(config.smtp_url, config.mail_from ?? 'countersign@localhost');
  const told = noticeSender(deps, configuration, changes, { channels: new Channels(sender, mailer, secrets, links), readable });
  const room = new CallRoom(board, wheel, clock, { desk, answered, callbacks, metric: new AnswerMetric(deps.metrics) });
  const settings = new ConfigurationRoom(configuration, changes, clock, { lanes: config.lanes, identity_addresses });
  const calls = new KnownCalls(room, views, new CallCommands(writer, codec, clock));
  const book = new TrustBook(deps);
  const rulings = new TenantRulings(now_ms, book);
  const admission = new Admission(configuration, log, { keys, sealer }, { callback_addresses });
  const calling = { tracer, delegated, mapper, sealer, readable, refused, owed, effects: new EffectReader(store) };
  const bounds = new HttpBounds(config.http ?? defaultHttpLimits, deps.metrics);
  const face = new Face(new Authenticator(configuration, now_ms, tokens), logger, readable, refused);
  const policies = new PolicyRoom(settings, rulings, store, new HistoryBook({ log, store, monotonic_ms: monotonic }));
  return {
    board,
    wheel,
    callbacks,
    sender,
    readable,
    sealer,
    subjects: subjectRooms(deps, settings),
    drops: deps.evidence && new LogDrop(deps, deps.evidence, settings, new RecordedDamage(deps)),
    vault: deps.vault,
    keys,
    face,
    intake: new CallIntake(admission, desk, room, calling),
    configuration: settings,
    policies,
    counterfactual: new CounterfactualRoom(deps, policies),
    replays: replayBundles(deps, () => configuration.state, { writer, sealer }),
    reports: new SimulationReports(keys),
    calls,
    votes: new VoteRoom(calls, new EditDesk(configuration, keys, rulings, { sealer, mapper }), verified),
    ...eventStreams(deps, config, { face, room, readable }),
    notices: new NoticeRoom({ configuration, writer: changes, clock }, secrets, links, callback_addresses),
    told,
    mailer,
    book,
    trust: trustRoom(deps, config.lanes, book, { writer, sealer }),
    usage: usageRoom(deps, config.lanes, { configuration, changes, writer, sealer, told }),
    blobs: new StoredBlobs(deps.blobs, deps.personal),
    health: new Health(ready, log, deps.metrics, bounds.metrics_access),
    bounds,
    audit: deps.evidence && new AuditRoom(deps, deps.evidence, configuration, auditedTopics(config.lanes)),
  };
}

function versionKeeper({ store, clock, logger }: AppDeps, configuration: Configuration, wired: Wired): VersionKeeper {
  const { writer } = wired.configuration;
  return new VersionKeeper({
    state: () => configuration.state,
    writer,
    store,
    clock,
    logger,
    tell: (notice, done) => wired.told.tell(notice, done),
  });
}

/**
 * The way in: HTTP on `config.port`. Resolves when it listens, has folded the configuration and follows its lanes.
 * `others_ready`: what else of this process must have caught up before `/readyz` says so (standalone).
 * @throws where the port is taken.
 */
export async function startGateway(
  deps: AppDeps,
  config: GatewayConfig,
  others_ready: () => boolean = () => true,
): Promise<RunningGateway> {
  const state = { caught_up: false };
  const configuration = foldConfiguration(deps);
  const wired = wire(deps, config, configuration, new RecordWriter(deps.log), () => state.caught_up && others_ready());
  const decoder = new BatchDecoder(deps.codec, deps.schemas);
  const follower = new BoardFollower(deps.log, decoder, wired.board, deps.wake_ups.is_ahead_of_log);
  const witness = new ConfigurationWitness('gateway', configuration, deps);
  const ended: { notices?: () => Promise<void>; shares?: InFlightShares | undefined } = {};
  const keeper = versionKeeper(deps, configuration, wired);
  const close = async () => {
    state.caught_up = false;
    await witness.close();
    wired.callbacks.close();
    await wired.face.refused.close();
    wired.subjects?.retention.close();
    await keeper.close();
    await wired.usage.closer.close();
    await wired.told.close();
    wired.mailer.close();
    ended.shares?.close();
    await ended.notices?.();
    await Promise.all([follower.close(), configuration.close(), wired.book.close()]);
    wired.wheel.close();
  };
  try {
    await Promise.all([configuration.start(), wired.book.start()]);
    witness.start();
    await wired.subjects?.erasure.reconcile(configuration.state);
    wired.subjects?.retention.start();
    const admin_key = await firstStart(configuration, wired.configuration.writer, { data_dir: config.data_dir, clock: deps.clock });
    const now_ms = () => deps.clock.now_ms();
    const resume = new Resume({ log: deps.log, store: deps.store, decoder, now_ms }, wired.board, wired.callbacks);
    const topics = follower.topics(config.lanes);
    for (const at of await resume.newest(config.lanes, topics)) wired.calls.views.answered.note(at);
    await follower.start(config.lanes, await resume.run(config.lanes, topics));
    await resume.done();
    await followProgress(deps.wake_ups, config.lanes, wired.board);
    await takeHints(deps.wake_ups, config.lanes, { board: wired.board, codec: deps.codec, now_ms });
    await wired.audit?.tellFaults(deps.logger);
    const { writer } = wired.configuration;
    const notices = new Notices(wired.told, writer, () => configuration.state, now_ms);
    ended.shares = await shareInFlight(deps, wired.board);
    keeper.start();
    wired.usage.closer.start();
    ended.notices = await startNotices(deps, config.lanes, notices);
    const app = await createHttpApp(wired, deps.logger);
    const listening = await listen(app, config, wired.bounds);
    state.caught_up = true;
    const stop = () => {
      wired.streams.close();
      return listening.close().then(close);
    };
    return { admin_key, port: listening.port, ready: () => state.caught_up, close: stop };
  } catch (fault) {
    await close();
    throw fault;
  }
}
