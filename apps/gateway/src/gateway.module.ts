import 'reflect-metadata';
import type { RequestListener, Server } from 'node:http';
import { CallSealer, Calls, Readable, RecordedCalls, RecordGuard, Views } from '@countersign/calls';
import { KnownDamage, type Logger, NestLogger, type TenantKeys } from '@countersign/process';
import { Vault } from '@countersign/store';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuditRoom } from './audit/audit-room.js';
import { BlobsModule } from './blobs/blobs.module.js';
import { BlobsService } from './blobs/blobs.service.js';
import { BodyAdmission } from './bounds/body-admission.js';
import { admitBeforeBody, boundConnections, serveRequests } from './bounds/bounded-server.js';
import type { HttpBounds } from './bounds/http-bounds.js';
import { BODY_BYTES_MAX } from './bounds/http-limits.js';
import { type ParseJson, takeOnlyJson } from './bounds/json-bodies.js';
import { HEADERS_TOO_SLOW, refuseUnread, refuseUnrouted } from './bounds/unread-requests.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import { CallPosts } from './calls/call-posts.service.js';
import { CallsModule } from './calls/calls.module.js';
import { DirectCalls, type DirectPosts } from './calls/direct-calls.js';
import { CaseFeeds } from './cases/case-feed.js';
import { CasesModule } from './cases/cases.module.js';
import { ConfigurationRoom } from './configuration/configuration-room.js';
import { CounterfactualModule } from './counterfactual/counterfactual.module.js';
import { CounterfactualDecider } from './counterfactual/counterfactual-decider.js';
import { ApiDocument } from './documents/api-document.js';
import { DocumentsModule } from './documents/documents.module.js';
import { openApiDocument } from './documents/openapi-document.js';
import { PublicRoutes } from './documents/public-routes.js';
import { HealthModule } from './health/health.module.js';
import { HealthService } from './health/health.service.js';
import { AccessController } from './http/access.controller.js';
import { ApprovalModesController } from './http/approval-modes.controller.js';
import { ApprovalQualityController } from './http/approval-quality.controller.js';
import { ApprovalsController } from './http/approvals.controller.js';
import { AuditController } from './http/audit.controller.js';
import { AuditEntriesController } from './http/audit-entries.controller.js';
import { AuditEventsController } from './http/audit-events.controller.js';
import { AuditExportController } from './http/audit-export.controller.js';
import { CallbackSecretController } from './http/callback-secret.controller.js';
import { DamagesController } from './http/damages.controller.js';
import { DecisionsController } from './http/decisions.controller.js';
import { DelegationsController } from './http/delegations.controller.js';
import { Face } from './http/face.js';
import { FactsController } from './http/facts.controller.js';
import { GrantsController } from './http/grants.controller.js';
import { HttpModule } from './http/http.module.js';
import { IdentityProvidersController } from './http/identity-providers.controller.js';
import { KeysController } from './http/keys.controller.js';
import { LogDropsController } from './http/log-drops.controller.js';
import { MappingsController } from './http/mappings.controller.js';
import { PersonLinksController } from './http/person-links.controller.js';
import { PersonalDataController } from './http/personal-data.controller.js';
import { PoliciesController } from './http/policies.controller.js';
import { ProjectionsController } from './http/projections.controller.js';
import { RetentionController } from './http/retention.controller.js';
import { SecretsController } from './http/secrets.controller.js';
import { SecurityEventsController } from './http/security-events.controller.js';
import { SimulateController } from './http/simulate.controller.js';
import { SubjectsController } from './http/subjects.controller.js';
import { TenantsController } from './http/tenants.controller.js';
import { TENANT_KEYS, TokenExchangesController } from './http/token-exchanges.controller.js';
import { UsageController } from './http/usage.controller.js';
import { UsageBillingController } from './http/usage-billing.controller.js';
import { VoteDelegationsController } from './http/vote-delegations.controller.js';
import { VoteRoom } from './http/vote-room.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { LimitsModule } from './limits/limits.module.js';
import { NoticeRoom } from './notices/notice-room.js';
import { LogDrop } from './personal/log-drop.js';
import { RetentionRoom } from './personal/retention-room.js';
import { SubjectRoom } from './personal/subject-room.js';
import { PolicyRoom } from './policies/policy-room.js';
import { SimulationReports } from './policies/simulation-reports.js';
import { ReplayBundles } from './runs/replay-bundles.js';
import { RunsModule } from './runs/runs.module.js';
import { SagasModule } from './sagas/sagas.module.js';
import { OpenStreams } from './streams/open-streams.js';
import { ToolsModule } from './tools/tools.module.js';
import { TrustModule } from './trust/trust.module.js';
import { TrustReader } from './trust/trust-reader.js';
import { UsageRoom } from './usage/usage-room.js';

/** What the controllers are given. */
export interface GatewayParts {
  face: Face;
  record: RecordGuard;
  /** Absent only where a test does without. */
  damage: KnownDamage | undefined;
  readable: Readable;
  sealer: CallSealer;
  /** Absent only where a test does without personal data. */
  subjects: { erasure: SubjectRoom; retention: RetentionRoom } | undefined;
  /** Absent where there is no evidence to drop behind. */
  drops: LogDrop | undefined;
  vault: Vault;
  keys: TenantKeys;
  calls: Calls;
  streams: OpenStreams;
  case_feeds: CaseFeeds;
  configuration: ConfigurationRoom;
  policies: PolicyRoom;
  reports: SimulationReports;
  counterfactual: CounterfactualDecider;
  replays: ReplayBundles;
  health: HealthService;
  bounds: HttpBounds;
  blobs: BlobsService;
  sender: CallbackSender;
  votes: VoteRoom;
  notices: NoticeRoom;
  usage: UsageRoom;
  trust: TrustReader;
  /** Absent only where a test does without evidence. */
  audit: AuditRoom | undefined;
  /** An answer that its route does not declare fails the request. */
  strict_answers: boolean;
}

const CONNECTIONS_CHECKED_EVERY_MS = 1_000;

/** The routes that every gateway has. */
const CONTROLLERS = [
  ApprovalQualityController,
  ApprovalsController,
  VoteDelegationsController,
  GrantsController,
  WebhooksController,
  DecisionsController,
  MappingsController,
  TenantsController,
  KeysController,
  PoliciesController,
  SimulateController,
  FactsController,
  AccessController,
  IdentityProvidersController,
  DelegationsController,
  SecretsController,
  TokenExchangesController,
  PersonLinksController,
  ApprovalModesController,
  UsageController,
  UsageBillingController,
  CallbackSecretController,
  ProjectionsController,
  SecurityEventsController,
];

/** The features that every gateway has. */
const FEATURES = [
  BlobsModule,
  CallsModule,
  CasesModule,
  CounterfactualModule,
  DocumentsModule,
  HealthModule,
  LimitsModule,
  RunsModule,
  SagasModule,
  ToolsModule,
  TrustModule,
];

/** What the features of the gateway share; made before it (start-gateway.ts). */
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
      imports: [PartsModule.of(parts), HttpModule.of(logger, parts.strict_answers), ...FEATURES],
      controllers: [
        ...CONTROLLERS,
        ...(parts.audit ? [AuditController, AuditEntriesController, AuditEventsController, AuditExportController] : []),
        ...(parts.damage ? [DamagesController] : []),
        ...(parts.drops ? [LogDropsController] : []),
        ...(parts.subjects ? [PersonalDataController, SubjectsController, RetentionController] : []),
      ],
    };
  }
}

function sharedProviders(parts: GatewayParts): Provider[] {
  return [
    { provide: Face, useValue: parts.face },
    { provide: RecordGuard, useValue: parts.record },
    { provide: Vault, useValue: parts.vault },
    { provide: TENANT_KEYS, useValue: parts.keys },
    { provide: Calls, useValue: parts.calls },
    { provide: RecordedCalls, useValue: parts.calls.recorded },
    { provide: OpenStreams, useValue: parts.streams },
    { provide: CaseFeeds, useValue: parts.case_feeds },
    { provide: Views, useValue: parts.calls.recorded.views },
    { provide: ConfigurationRoom, useValue: parts.configuration },
    { provide: BlobsService, useValue: parts.blobs },
    { provide: PolicyRoom, useValue: parts.policies },
    { provide: SimulationReports, useValue: parts.reports },
    { provide: ReplayBundles, useValue: parts.replays },
    { provide: CounterfactualDecider, useValue: parts.counterfactual },
    { provide: HealthService, useValue: parts.health },
    { provide: VoteRoom, useValue: parts.votes },
    { provide: NoticeRoom, useValue: parts.notices },
    { provide: UsageRoom, useValue: parts.usage },
    { provide: TrustReader, useValue: parts.trust },
    { provide: CallbackSender, useValue: parts.sender },
    ...(parts.damage ? [{ provide: KnownDamage, useValue: parts.damage }] : []),
    ...personalProviders(parts),
    ...(parts.audit ? [{ provide: AuditRoom, useValue: parts.audit }] : []),
  ];
}

function personalProviders({ readable, sealer, subjects, drops }: GatewayParts): Provider[] {
  const always: Provider[] = [
    ...(drops ? [{ provide: LogDrop, useValue: drops }] : []),
    { provide: Readable, useValue: readable },
    { provide: CallSealer, useValue: sealer },
  ];
  if (!subjects) return always;
  return [...always, { provide: SubjectRoom, useValue: subjects.erasure }, { provide: RetentionRoom, useValue: subjects.retention }];
}

/** `POST /v1/calls` in its plainest form goes past the router, to the same service. */
function takeDirectCalls(app: NestFastifyApplication, parse: ParseJson, admission: BodyAdmission, { face, bounds }: GatewayParts): void {
  const calls = app.get(CallPosts, { strict: false });
  const posts: DirectPosts = {
    admit: (request, reply) => admission.beginWithKey(request, reply),
    submit: (request, reply) => calls.submitDirectly(request, reply),
    fault: (request, reply, cause) => face.fault(request, reply, cause),
  };
  const direct = new DirectCalls(posts, parse, BODY_BYTES_MAX);
  const server = app.getHttpServer() as Server;
  const routed = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  boundConnections(server, bounds);
  serveRequests(server, (request, response) => {
    if (direct.takes(request)) direct.serve(request, response);
    else for (const listener of routed) listener(request, response);
  });
}

/** The HTTP application, not listening yet. Whatever escapes a handler becomes a problem document. */
export async function createHttpApp(parts: GatewayParts, logger: Logger): Promise<NestFastifyApplication> {
  const { bounds } = parts;
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: true,
    frameworkErrors: refuseUnrouted,
    http: { headersTimeout: bounds.limits.headers_timeout_ms, connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS },
    clientErrorHandler: (error, socket) => {
      if (error.code === HEADERS_TOO_SLOW) bounds.metrics.refused('headers_too_slow');
      refuseUnread(error, socket);
    },
  });
  const admission = new BodyAdmission(parts.face, bounds);
  const parse = takeOnlyJson(adapter.getInstance(), (request, bytes, handle) => admission.inTurn(request, bytes, handle));
  const open = new PublicRoutes();
  admitBeforeBody(adapter.getInstance(), admission, parts.face, (method, route) => open.has(method, route));
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(parts, logger), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const document = openApiDocument(app);
  open.read(document);
  app.get(ApiDocument, { strict: false }).text = JSON.stringify(document);
  takeDirectCalls(app, parse, admission, parts);
  return app;
}
