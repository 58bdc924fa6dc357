import 'reflect-metadata';
import type { RequestListener, Server } from 'node:http';
import { CallSealer, Calls, Readable, RecordedCalls, RecordGuard, Views } from '@countersign/calls';
import type { AddressRules } from '@countersign/outbound';
import { KnownDamage, type Logger, NestLogger, type TenantKeys } from '@countersign/process';
import { Vault } from '@countersign/store';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { EditService } from './approvals/edit.service.js';
import { AuditModule } from './audit/audit.module.js';
import type { AuditParts } from './audit/audit-parts.js';
import { DamagesModule } from './audit/damages.module.js';
import { BodyAdmission } from './bounds/body-admission.js';
import { admitBeforeBody, boundConnections, serveRequests } from './bounds/bounded-server.js';
import type { HttpBounds } from './bounds/http-bounds.js';
import { BODY_BYTES_MAX } from './bounds/http-limits.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import { ConfigurationRoom } from './configuration/configuration-room.js';
import { CounterfactualRoom } from './counterfactual/counterfactual-room.js';
import { AccessController } from './http/access.controller.js';
import { AdapterPinsController } from './http/adapter-pins.controller.js';
import { AsyncApiController } from './http/asyncapi.controller.js';
import { BatchController } from './http/batch.controller.js';
import { BlobsController } from './http/blobs.controller.js';
import { CallCommandsController } from './http/call-commands.controller.js';
import { CallEventsController } from './http/call-events.controller.js';
import { CallsController } from './http/calls.controller.js';
import { CaseEventsController } from './http/case-events.controller.js';
import { CaseFeeds } from './http/case-feed.js';
import { CasesController } from './http/cases.controller.js';
import { CounterfactualController } from './http/counterfactual.controller.js';
import { DelegationsController } from './http/delegations.controller.js';
import { type CallPosts, DirectCalls } from './http/direct-calls.js';
import { Face } from './http/face.js';
import { FactsController } from './http/facts.controller.js';
import { HealthController } from './http/health.controller.js';
import { Health } from './http/health.js';
import { HttpModule } from './http/http.module.js';
import { IdentityProvidersController } from './http/identity-providers.controller.js';
import { type ParseJson, takeOnlyJson } from './http/json-bodies.js';
import { isKeyless } from './http/keyless-routes.js';
import { KeysController } from './http/keys.controller.js';
import { MappingsController } from './http/mappings.controller.js';
import { OpenStreams } from './http/open-streams.js';
import { openApiDocument } from './http/openapi-document.js';
import { PersonLinksController } from './http/person-links.controller.js';
import { PoliciesController } from './http/policies.controller.js';
import { ProjectionsController } from './http/projections.controller.js';
import { RatingsController } from './http/ratings.controller.js';
import { type HttpReply, type HttpRequest, sendAnswer } from './http/reply.js';
import { RunsController } from './http/runs.controller.js';
import { SagasController } from './http/sagas.controller.js';
import { SecretsController } from './http/secrets.controller.js';
import { SecurityEventsController } from './http/security-events.controller.js';
import { SimulateController } from './http/simulate.controller.js';
import { StoredBlobs } from './http/stored-blobs.js';
import { TenantsController } from './http/tenants.controller.js';
import { TENANT_KEYS, TokenExchangesController } from './http/token-exchanges.controller.js';
import { ToolLifecycleController } from './http/tool-lifecycle.controller.js';
import { ToolPoliciesController } from './http/tool-policies.controller.js';
import { ToolReadings } from './http/tool-readings.js';
import { ToolsController } from './http/tools.controller.js';
import { TrustController } from './http/trust.controller.js';
import { HEADERS_TOO_SLOW, refuseUnread, refuseUnrouted } from './http/unread-requests.js';
import { VerifiedTokens } from './identity/verified-tokens.js';
import { LimitsModule } from './limits/limits.module.js';
import { DecisionLinks } from './notifications/decision-link.js';
import { SealedSecrets } from './notifications/sealed-secret.js';
import { KeyRetention } from './personal-data/key-retention.js';
import { LogDrop } from './personal-data/log-drop.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { SubjectEraser } from './personal-data/subject-eraser.js';
import { PolicyRoom } from './policies/policy-room.js';
import { SimulationReports } from './policies/simulation-reports.js';
import { ReplayBundles } from './runs/replay-bundles.js';
import { TrustRoom } from './trust/trust-room.js';
import { OperatorCommands } from './usage/operator-commands.js';
import { PeriodCloser } from './usage/period-closer.js';
import { UsageModule } from './usage/usage.module.js';
import { UsageReport } from './usage/usage-report.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { CALLBACK_ADDRESSES } from './webhooks/webhooks.service.js';

/** What the controllers are given. */
export interface GatewayParts {
  face: Face;
  record: RecordGuard;
  /** Absent only where a test does without. */
  damage: KnownDamage | undefined;
  readable: Readable;
  sealer: CallSealer;
  /** Absent only where a test does without personal data. */
  subjects: { erasure: SubjectEraser; retention: KeyRetention } | undefined;
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
  counterfactual: CounterfactualRoom;
  replays: ReplayBundles;
  health: Health;
  bounds: HttpBounds;
  blobs: StoredBlobs;
  sender: CallbackSender;
  edits: EditService;
  verified: VerifiedTokens;
  /** Seals the secrets of webhooks. */
  secrets: SealedSecrets;
  links: DecisionLinks;
  /** Where channels and callbacks may be. */
  callback_addresses: AddressRules;
  usage: { report: UsageReport; closer: PeriodCloser; commands: OperatorCommands };
  trust: TrustRoom;
  /** Absent only where a test does without evidence. */
  audit: AuditParts | undefined;
  /** An answer that its route does not declare fails the request. */
  strict_answers: boolean;
}

const CONNECTIONS_CHECKED_EVERY_MS = 1_000;

/** The routes that every gateway has. */
const CONTROLLERS = [
  CallsController,
  BatchController,
  BlobsController,
  CallCommandsController,
  CallEventsController,
  CasesController,
  CaseEventsController,
  ToolsController,
  ToolLifecycleController,
  AdapterPinsController,
  MappingsController,
  ToolPoliciesController,
  TenantsController,
  KeysController,
  PoliciesController,
  SimulateController,
  CounterfactualController,
  RunsController,
  FactsController,
  AccessController,
  IdentityProvidersController,
  DelegationsController,
  SecretsController,
  TokenExchangesController,
  PersonLinksController,
  TrustController,
  RatingsController,
  HealthController,
  AsyncApiController,
  ProjectionsController,
  SagasController,
  SecurityEventsController,
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
      imports: [
        PartsModule.of(parts),
        HttpModule.of(logger, parts.strict_answers),
        LimitsModule,
        ApprovalsModule,
        WebhooksModule,
        UsageModule,
        ...(parts.audit ? [AuditModule.of(parts.audit)] : []),
        ...(parts.damage ? [DamagesModule] : []),
        PersonalDataModule.of({ seals: parts.subjects !== undefined, drops: parts.drops !== undefined }),
      ],
      controllers: CONTROLLERS,
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
    { provide: StoredBlobs, useValue: parts.blobs },
    { provide: PolicyRoom, useValue: parts.policies },
    { provide: SimulationReports, useValue: parts.reports },
    { provide: ReplayBundles, useValue: parts.replays },
    { provide: CounterfactualRoom, useValue: parts.counterfactual },
    { provide: Health, useValue: parts.health },
    {
      provide: ToolReadings,
      useFactory: (trust: TrustRoom, views: Views, health: Health) => new ToolReadings(trust, views, health),
      inject: [TrustRoom, Views, Health],
    },
    { provide: EditService, useValue: parts.edits },
    { provide: VerifiedTokens, useValue: parts.verified },
    { provide: SealedSecrets, useValue: parts.secrets },
    { provide: DecisionLinks, useValue: parts.links },
    { provide: CALLBACK_ADDRESSES, useValue: parts.callback_addresses },
    { provide: UsageReport, useValue: parts.usage.report },
    { provide: PeriodCloser, useValue: parts.usage.closer },
    { provide: OperatorCommands, useValue: parts.usage.commands },
    { provide: TrustRoom, useValue: parts.trust },
    { provide: CallbackSender, useValue: parts.sender },
    ...(parts.damage ? [{ provide: KnownDamage, useValue: parts.damage }] : []),
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

/** `POST /v1/calls` in its plainest form goes past the router, to the same controller. */
function takeDirectCalls(app: NestFastifyApplication, parse: ParseJson, admission: BodyAdmission, { face, bounds }: GatewayParts): void {
  const controller = app.get(CallsController);
  const posts: CallPosts = {
    admit: (request, reply) => admission.beginWithKey(request, reply),
    submit: (request, reply) => controller.submit(request, reply),
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
  admitBeforeBody(adapter.getInstance(), admission, parts.face, isKeyless);
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(parts, logger), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const document = JSON.stringify(openApiDocument(app));
  adapter.get('/openapi.json', (_request: HttpRequest, reply: HttpReply) => sendAnswer(reply, { status: 200, text: document }));
  takeDirectCalls(app, parse, admission, parts);
  return app;
}
