import 'reflect-metadata';
import { CallSealer, Calls, CompensationSubmitter, Readable, RecordedCalls, RecordGuard, Views } from '@countersign/calls';
import type { AddressRules, OutboundDoor } from '@countersign/outbound';
import { KnownDamage, type Logger, SealedSecrets, type TenantKeys } from '@countersign/process';
import { Vault } from '@countersign/store';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { EditService } from './approvals/edit.service.js';
import { AuditModule } from './audit/audit.module.js';
import type { AuditParts } from './audit/audit-parts.js';
import { DamagesModule } from './audit/damages.module.js';
import { SignedTrees } from './audit/signed-trees.js';
import { KeyUses } from './authentication/key-uses.js';
import { VerifiedTokens } from './authentication/verified-tokens.js';
import { BlobsModule } from './blobs/blobs.module.js';
import { BlobsService } from './blobs/blobs.service.js';
import type { HttpBounds } from './bounds/http-bounds.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import { CallsModule } from './calls/calls.module.js';
import { CaseFeeds } from './cases/case-feed.js';
import { CasesModule } from './cases/cases.module.js';
import { CircuitReader } from './circuits/circuit-reader.js';
import { CircuitsModule } from './circuits/circuits.module.js';
import { ConfigurationService } from './configuration/configuration.service.js';
import { ConsoleModule } from './console/console.module.js';
import { CounterfactualModule } from './counterfactual/counterfactual.module.js';
import { CounterfactualDecider } from './counterfactual/counterfactual-decider.js';
import { DeadLetterView } from './dead-letters/dead-letter-view.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { RequeueView } from './dead-letters/requeue-view.js';
import { DocsModule } from './docs/docs.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { EventFeeds } from './events/event-feeds.js';
import { EventsModule } from './events/events.module.js';
import { FactsModule } from './facts/facts.module.js';
import { HealthModule } from './health/health.module.js';
import { HealthService } from './health/health.service.js';
import { HttpModule } from './http/http.module.js';
import { RequestAccess } from './http/request-access.js';
import { HttpToolsModule } from './http-tools/http-tools.module.js';
import { ENDPOINT_ADDRESSES, ENDPOINT_SECRETS } from './http-tools/http-tools.service.js';
import { IdentityModule } from './identity/identity.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { MappingsModule } from './mappings/mappings.module.js';
import { McpModule } from './mcp/mcp.module.js';
import type { McpParts } from './mcp/mcp-extension.js';
import { DecisionLinks } from './notifications/decision-link.js';
import { RecordedChannels } from './notifications/recorded-channels.js';
import { OpenApiImportsModule } from './openapi-imports/openapi-imports.module.js';
import { ENDPOINT_DOOR } from './openapi-imports/openapi-imports.service.js';
import { KeyRetention } from './personal-data/key-retention.js';
import { LogDrop } from './personal-data/log-drop.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { SubjectEraser } from './personal-data/subject-eraser.js';
import { PoliciesModule } from './policies/policies.module.js';
import { PolicyService } from './policies/policy.service.js';
import { SimulationReports } from './policies/simulation-reports.js';
import type { ProducerParts } from './producers/producer-parts.js';
import { ProducerTopicsMaker } from './producers/producer-topics-maker.js';
import { ProducersModule } from './producers/producers.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { ReferencesModule } from './references/references.module.js';
import { ReplayBundles } from './runs/replay-bundles.js';
import { RunsModule } from './runs/runs.module.js';
import { SagaDefinitionsModule } from './saga-definitions/saga-definitions.module.js';
import type { SagaParts } from './sagas/saga-parts.js';
import { SagasModule, sagaProviders } from './sagas/sagas.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SecurityEventsModule } from './security-events/security-events.module.js';
import { SessionsModule, type SignInParts } from './sessions/sessions.module.js';
import { OpenStreams } from './streams/open-streams.js';
import { TENANT_KEYS } from './token-exchanges/tenant-keys.js';
import { TokenExchangesModule } from './token-exchanges/token-exchanges.module.js';
import { ToolsModule } from './tools/tools.module.js';
import { TrustModule } from './trust/trust.module.js';
import { TrustReader } from './trust/trust-reader.js';
import { UndoModule } from './undo/undo.module.js';
import { UpstreamPlaces } from './upstreams/upstream-places.js';
import { UpstreamsModule } from './upstreams/upstreams.module.js';
import { OperatorCommands } from './usage/operator-commands.js';
import { PeriodCloser } from './usage/period-closer.js';
import { UsageModule } from './usage/usage.module.js';
import { UsageReport } from './usage/usage-report.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { CALLBACK_ADDRESSES } from './webhooks/webhooks.service.js';

/** Shared dependencies of the controllers. */
export interface GatewayParts {
  access: RequestAccess;
  sign_in: SignInParts;
  key_uses: KeyUses;
  record: RecordGuard;
  /** Absent only in tests. */
  damage: KnownDamage | undefined;
  trees: SignedTrees;
  readable: Readable;
  sealer: CallSealer;
  /** Absent only in tests without personal data. */
  subjects: { erasure: SubjectEraser; retention: KeyRetention } | undefined;
  /** Absent without evidence: records are deleted only behind a checkpoint. */
  drops: LogDrop | undefined;
  vault: Vault;
  keys: TenantKeys;
  calls: Calls;
  producers: ProducerParts;
  sagas: SagaParts;
  compensations: CompensationSubmitter;
  streams: OpenStreams;
  case_feeds: CaseFeeds;
  event_feeds: EventFeeds;
  configuration: ConfigurationService;
  policies: PolicyService;
  reports: SimulationReports;
  counterfactual: CounterfactualDecider;
  replays: ReplayBundles;
  health: HealthService;
  bounds: HttpBounds;
  blobs: BlobsService;
  sender: CallbackSender;
  edits: EditService;
  verified: VerifiedTokens;
  /** Encrypts the secrets of webhooks. */
  secrets: SealedSecrets;
  links: DecisionLinks;
  channels: RecordedChannels;
  dead_letters: DeadLetterView;
  requeues: RequeueView;
  /** Allowed addresses of channels and callbacks. */
  callback_addresses: AddressRules;
  /** Allowed addresses of tools' endpoints. */
  endpoint_addresses: AddressRules;
  endpoint_door: OutboundDoor;
  /** Where upstreams of tenants may be. */
  upstream_places: UpstreamPlaces;
  /** Encrypts the signing secrets of tools' endpoints. */
  endpoint_secrets: SealedSecrets;
  usage: { report: UsageReport; closer: PeriodCloser; commands: OperatorCommands };
  trust: TrustReader;
  circuits: CircuitReader;
  /** Absent only in tests without evidence. */
  audit: AuditParts | undefined;
  mcp: McpParts;
  /** Fails a request whose response its route does not declare. */
  strict_answers: boolean;
}

/** The modules that every gateway has. */
const FEATURES = [
  AccessModule,
  ApprovalsModule,
  BlobsModule,
  CallsModule,
  CasesModule,
  CircuitsModule,
  ConsoleModule,
  CounterfactualModule,
  DeadLettersModule,
  DocsModule,
  DocumentsModule,
  EventsModule,
  FactsModule,
  HealthModule,
  IdentityModule,
  LimitsModule,
  MappingsModule,
  PoliciesModule,
  ProducersModule,
  ProjectionsModule,
  RunsModule,
  SagaDefinitionsModule,
  SagasModule,
  SecretsModule,
  SecurityEventsModule,
  TokenExchangesModule,
  ToolsModule,
  HttpToolsModule,
  OpenApiImportsModule,
  TrustModule,
  UndoModule,
  UpstreamsModule,
  UsageModule,
  WebhooksModule,
];

/** Dependencies that the modules of the gateway share; created before it (start-gateway.ts). */
@Global()
@Module({})
class PartsModule {
  static of(parts: GatewayParts): DynamicModule {
    const providers = sharedProviders(parts);
    return { module: PartsModule, providers, exports: providers };
  }
}

@Module({})
export class GatewayModule {
  static of(parts: GatewayParts, logger: Logger): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        PartsModule.of(parts),
        HttpModule.of(logger, parts.strict_answers),
        ReferencesModule,
        ...FEATURES,
        SessionsModule.of(parts.sign_in),
        McpModule.of(parts.mcp, logger),
        ...(parts.audit ? [AuditModule.of(parts.audit)] : []),
        ...(parts.damage ? [DamagesModule] : []),
        PersonalDataModule.of({ seals: parts.subjects !== undefined, drops: parts.drops !== undefined }),
      ],
    };
  }
}

function sharedProviders(parts: GatewayParts): Provider[] {
  return [
    { provide: RequestAccess, useValue: parts.access },
    { provide: KeyUses, useValue: parts.key_uses },
    { provide: RecordGuard, useValue: parts.record },
    { provide: Vault, useValue: parts.vault },
    { provide: TENANT_KEYS, useValue: parts.keys },
    { provide: Calls, useValue: parts.calls },
    { provide: ProducerTopicsMaker, useValue: parts.producers.topics },
    ...sagaProviders(parts.sagas),
    { provide: CompensationSubmitter, useValue: parts.compensations },
    { provide: RecordedCalls, useValue: parts.calls.recorded },
    { provide: OpenStreams, useValue: parts.streams },
    { provide: CaseFeeds, useValue: parts.case_feeds },
    { provide: EventFeeds, useValue: parts.event_feeds },
    { provide: Views, useValue: parts.calls.recorded.views },
    { provide: ConfigurationService, useValue: parts.configuration },
    { provide: BlobsService, useValue: parts.blobs },
    { provide: PolicyService, useValue: parts.policies },
    { provide: SimulationReports, useValue: parts.reports },
    { provide: ReplayBundles, useValue: parts.replays },
    { provide: CounterfactualDecider, useValue: parts.counterfactual },
    { provide: HealthService, useValue: parts.health },
    { provide: EditService, useValue: parts.edits },
    { provide: VerifiedTokens, useValue: parts.verified },
    { provide: SealedSecrets, useValue: parts.secrets },
    { provide: DecisionLinks, useValue: parts.links },
    { provide: DeadLetterView, useValue: parts.dead_letters },
    { provide: RequeueView, useValue: parts.requeues },
    { provide: RecordedChannels, useValue: parts.channels },
    { provide: ENDPOINT_ADDRESSES, useValue: parts.endpoint_addresses },
    { provide: UpstreamPlaces, useValue: parts.upstream_places },
    { provide: ENDPOINT_SECRETS, useValue: parts.endpoint_secrets },
    { provide: ENDPOINT_DOOR, useValue: parts.endpoint_door },
    { provide: CALLBACK_ADDRESSES, useValue: parts.callback_addresses },
    { provide: UsageReport, useValue: parts.usage.report },
    { provide: PeriodCloser, useValue: parts.usage.closer },
    { provide: OperatorCommands, useValue: parts.usage.commands },
    { provide: TrustReader, useValue: parts.trust },
    { provide: CircuitReader, useValue: parts.circuits },
    { provide: CallbackSender, useValue: parts.sender },
    ...(parts.damage ? [{ provide: KnownDamage, useValue: parts.damage }] : []),
    { provide: SignedTrees, useValue: parts.trees },
    ...personalProviders(parts),
  ];
}

function personalProviders({ readable, sealer, subjects, drops }: GatewayParts): Provider[] {
  const always: Provider[] = [
    ...(drops ? [{ provide: LogDrop, useValue: drops }] : []),
    { provide: Readable, useValue: readable },
    { provide: CallSealer, useValue: sealer },
  ];
  if (!subjects) return always;
  return [...always, { provide: SubjectEraser, useValue: subjects.erasure }, { provide: KeyRetention, useValue: subjects.retention }];
}
