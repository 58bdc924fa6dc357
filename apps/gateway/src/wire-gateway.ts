import { AnsweredPositions, assembleCalls, Readable, RecordWriter, type RunningCalls, Views } from '@countersign/calls';
import { TenantRulings } from '@countersign/decisions';
import type { CheckedEventLog } from '@countersign/evidence';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import {
  type AppDeps,
  CallHistoryReader,
  type Configuration,
  checkedLog,
  coveredTopicSpecs,
  SealedSecrets,
  TrustScoreCache,
} from '@countersign/process';
import { EditService } from './approvals/edit.service.js';
import { auditParts } from './audit/audit-parts.js';
import { SignedTrees } from './audit/signed-trees.js';
import { ProviderKeys } from './authentication/provider-keys.js';
import { TokenPrincipals } from './authentication/token-principals.js';
import { VerifiedTokens } from './authentication/verified-tokens.js';
import { BlobsService } from './blobs/blobs.service.js';
import { HttpBounds } from './bounds/http-bounds.js';
import { defaultHttpLimits } from './bounds/http-limits.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import { CircuitReader } from './circuits/circuit-reader.js';
import { type GatewayConfig, publicUrl } from './config.js';
import { ConfigurationService } from './configuration/configuration.service.js';
import { ConfigurationWriter } from './configuration/configuration-writer.js';
import { CounterfactualDecider } from './counterfactual/counterfactual-decider.js';
import { DeadLetterView } from './dead-letters/dead-letter-view.js';
import { RequeueView } from './dead-letters/requeue-view.js';
import {
  delegatedAuthority,
  eventStreams,
  notificationSender,
  personalDataParts,
  replayBundles,
  trustReader,
  usageParts,
} from './feature-services.js';
import type { GatewayParts } from './gateway.module.js';
import { HealthService } from './health/health.service.js';
import { PackHealth } from './health/pack-health.js';
import { LoopbackCaller } from './http/loopback-caller.js';
import { type McpExtension, McpExtensions } from './mcp/mcp-extension.js';
import { defaultMcpSettings } from './mcp/mcp-settings.js';
import { Channels } from './notifications/channels.js';
import { DecisionLinks } from './notifications/decision-link.js';
import { Mailer } from './notifications/mailer.js';
import { NotificationSender } from './notifications/notification-sender.js';
import { RecordedChannels } from './notifications/recorded-channels.js';
import { LogDrop } from './personal-data/log-drop.js';
import { PolicyService } from './policies/policy.service.js';
import { SimulationReports } from './policies/simulation-reports.js';
import { producerParts } from './producers/producer-parts.js';
import { sagaParts } from './sagas/saga-parts.js';
import { accessParts } from './sessions/access-parts.js';
import { UpstreamPlaces } from './upstreams/upstream-places.js';

/** Everything of a gateway, built and not yet started. */
export interface Wired extends GatewayParts {
  running: RunningCalls;
  notifications: NotificationSender;
  mailer: Mailer;
  trustScores: TrustScoreCache;
  /** The log for lists, exports and replays; absent if nothing is signed. */
  checked: CheckedEventLog | undefined;
}

/** Topics whose records are listed and proven. */
const auditedTopics = (lanes: readonly string[]) => new Set(coveredTopicSpecs(lanes, 1).map(({ name }) => name));

/** The verified readers for lists, exports and replays. */
function checkedReads(deps: AppDeps) {
  const checked = checkedLog(deps, 'read');
  return { checked, reading: checked ? { ...deps, log: checked } : deps };
}

/** Dependencies that make and send notifications. */
function notificationParts(config: GatewayConfig, keys: AppDeps['keys'], now_ms: () => number) {
  const mailer = new Mailer(config.smtp_url, config.mail_from ?? 'countersign@localhost');
  return { secrets: new SealedSecrets(keys), links: new DecisionLinks(keys, publicUrl(config), now_ms), mailer };
}

function waysOut({ identity_allow_private = false, callback_allow_private, tool_endpoints_private = [], proxies }: GatewayConfig) {
  const identity_addresses = AddressRules.forIdentity(identity_allow_private);
  const callback_addresses = AddressRules.forCallbacks(callback_allow_private);
  const endpoint_addresses = AddressRules.forToolEndpoints(new Set(tool_endpoints_private));
  const endpoint_door = new OutboundDoor(endpoint_addresses, proxies);
  const identity_door = new OutboundDoor(identity_addresses, proxies);
  const callback_door = new OutboundDoor(callback_addresses, proxies);
  return { identity_addresses, callback_addresses, endpoint_addresses, endpoint_door, identity_door, callback_door };
}

/** Where upstreams may be; the connection is checked again by the executor. */
function upstreamPlaces({ upstream_commands = [], upstream_private = [] }: GatewayConfig): UpstreamPlaces {
  return new UpstreamPlaces(AddressRules.forToolEndpoints(new Set(upstream_private)), new Set(upstream_commands));
}

/** The signed trees, and the known damage to them. */
function recordParts(deps: AppDeps, settings: ConfigurationService): Pick<Wired, 'drops' | 'damage' | 'trees'> {
  const { log, evidence, damage } = deps;
  const drops = evidence && damage && new LogDrop(deps, evidence, settings, damage);
  return { drops, damage, trees: new SignedTrees(log, evidence?.checkpoints) };
}

/** What decides under the current rules without a record. */
function policyParts(deps: AppDeps, settings: ConfigurationService) {
  const trustScores = new TrustScoreCache(deps);
  const rulings = new TenantRulings(() => deps.clock.now_ms(), trustScores);
  return { trustScores, rulings, policies: new PolicyService(settings, rulings, deps.store, new CallHistoryReader(deps)) };
}

/** Other parts of the process of a gateway. */
export interface Beside {
  /** `/readyz` waits for them. */
  ready(): boolean;
  /** What the pack `conformance` adds to MCP: with it, loopback reaches `/mcp` without a token. */
  mcp_extension?: McpExtension | undefined;
}

const mcpParts = ({ mcp = defaultMcpSettings }: GatewayConfig, { mcp_extension }: Beside) => ({
  settings: mcp,
  extensions: new McpExtensions(mcp_extension),
});

const accessTerms = (config: GatewayConfig, { mcp_extension }: Beside) => ({
  config,
  loopback: mcp_extension && new LoopbackCaller(),
});

/** Builds everything of a gateway. */
export function wire(deps: AppDeps, config: GatewayConfig, configuration: Configuration, writer: RecordWriter, beside: Beside): Wired {
  const { clock, log, codec, store, keys, logger } = deps;
  const { checked, reading } = checkedReads(deps);
  const [monotonic, now_ms] = [() => clock.monotonic_ms(), () => clock.now_ms()];
  const changes = new ConfigurationWriter(writer, configuration, codec, { clock, store });
  const { identity_addresses, callback_addresses, endpoint_addresses, endpoint_door, identity_door, callback_door } = waysOut(config);
  const verified = new VerifiedTokens(configuration, changes, { now_ms, logger });
  const tokens = new TokenPrincipals(configuration, new ProviderKeys(identity_door), now_ms, verified);
  const readable = new Readable(deps.personal, configuration);
  const views = new Views(store, new AnsweredPositions(), monotonic, readable);
  const [sender, circuits] = [new CallbackSender(keys, now_ms, callback_door), new CircuitReader(store, clock)];
  const authority = delegatedAuthority(deps, configuration, tokens, views);
  const terms = { configuration, writer, views, authority, delivery: sender, callback_addresses };
  const { calls, compensations, running, tracker, sealer, mapper, record } = assembleCalls(deps, terms);
  const { secrets, links, mailer } = notificationParts(config, keys, now_ms);
  const channels = new RecordedChannels(new Channels(sender, mailer, secrets, links), store, clock, logger);
  const notifications = notificationSender(deps, { configuration, changes }, channels, readable);
  const settings = new ConfigurationService(configuration, changes, clock, { store, lanes: config.lanes, identity_addresses });
  const bounds = new HttpBounds(config.http ?? defaultHttpLimits, deps.metrics);
  const access = accessParts(deps, configuration, tokens, { ...accessTerms(config, beside), bounds, door: identity_door, verified });
  const { trustScores, rulings, policies } = policyParts(deps, settings);
  return {
    running,
    sender,
    readable,
    sealer,
    subjects: personalDataParts(deps, settings),
    ...recordParts(deps, settings),
    vault: deps.vault,
    keys,
    ...access,
    record,
    configuration: settings,
    policies,
    counterfactual: new CounterfactualDecider(reading, policies),
    replays: replayBundles(reading, () => configuration.state, { writer, sealer }),
    reports: new SimulationReports(keys),
    calls,
    producers: producerParts(deps, config.lanes, calls, { configuration: settings, uses: access.key_uses }),
    sagas: sagaParts(deps, writer, authority),
    compensations,
    edits: new EditService(configuration, keys, rulings, { sealer, mapper }),
    verified,
    ...eventStreams(deps, config, { access: access.access, wheel: tracker.wheel, readable }),
    secrets,
    links,
    callback_addresses,
    endpoint_addresses,
    endpoint_door,
    upstream_places: upstreamPlaces(config),
    endpoint_secrets: new SealedSecrets(keys, 'tool-endpoint-secret'),
    channels,
    dead_letters: new DeadLetterView(log, codec),
    requeues: new RequeueView(log, codec),
    notifications,
    mailer,
    trustScores,
    checked,
    trust: trustReader(deps, config.lanes, { trustScores, circuits }, { writer, sealer }),
    circuits,
    usage: usageParts(deps, config.lanes, { writer, sealer }, { configuration: settings, sender: notifications }),
    blobs: new BlobsService(deps.blobs, deps.personal),
    health: new HealthService(beside.ready, deps, deps.metrics, bounds.metrics_access, new PackHealth(store, monotonic)),
    bounds,
    mcp: mcpParts(config, beside),
    strict_answers: config.strict_answers ?? false,
    audit: deps.evidence && auditParts(reading, deps.evidence, configuration, auditedTopics(config.lanes)),
  };
}
