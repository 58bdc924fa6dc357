import 'reflect-metadata';
import { type Caller, Readable, RecordGuard, Refusal } from '@countersign/calls';
import { createLogger } from '@countersign/process';
import { type DynamicModule, Global, type INestApplication, Module, type Provider, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { authorityOf, type Role } from '../authentication/authenticator.js';
import { HttpModule } from '../http/http.module.js';
import { RequestAccess } from '../http/request-access.js';
import { ReferencesModule } from '../references/references.module.js';

const callerOf = (id: string, roles: readonly Role[]): Caller => ({
  tenant_id: 'acme',
  key_id: id,
  principal: { kind: 'user', id, roles: [...roles] },
  issuer: 'local',
  scopes: [],
  clearances: ['*'],
  authority: authorityOf(`key:${id}`, { scopes: null, clearances: ['*'], purposes: null }),
});

/** `Bearer operator,auditor` is a user with these roles; the first role is its id. */
const byRole = {
  caller: (authorization: string | undefined) => {
    const role = authorization?.slice('Bearer '.length);
    return role
      ? callerOf(role.split(',')[0] as string, role.split(',') as Role[])
      : new Refusal('unauthenticated', 'send `Authorization: Bearer <key>`');
  },
  prepare: () => undefined,
};

type Feature = Type | DynamicModule;

export interface FeatureAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

/** Feature modules behind the real guard, pipe, filter and interceptors, with strict checks of responses. */
export class FeatureApp {
  private constructor(private readonly app: NestFastifyApplication) {}

  /** `shared`: further providers that the features need. */
  static async open(
    features: Feature | readonly Feature[],
    shared: readonly Provider[],
    readable: Readable = Readable.plain,
  ): Promise<FeatureApp> {
    const logger = createLogger('gateway', 'silent');
    const access = new RequestAccess(byRole as never, logger, { note: () => undefined } as never);
    const record = new RecordGuard({ state: undefined as never }, undefined);
    const providers = [
      { provide: RequestAccess, useValue: access },
      { provide: Readable, useValue: readable },
      { provide: RecordGuard, useValue: record },
      ...shared,
    ];
    @Global()
    @Module({ providers, exports: providers })
    class SharedModule {}
    const module = await Test.createTestingModule({
      imports: [SharedModule, HttpModule.of(logger, true), ReferencesModule, ...[features].flat()],
    }).compile();
    const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ routerOptions: { maxParamLength: 300 } }), {
      logger: false,
    });
    await app.init();
    return new FeatureApp(app);
  }

  get nest(): INestApplication {
    return this.app;
  }

  async send(method: string, url: string, { role, body, headers = {} }: { role?: string; body?: unknown; headers?: object } = {}) {
    const answer = await this.app.inject({
      method: method as 'GET',
      url,
      headers: { ...(role ? { authorization: `Bearer ${role}` } : {}), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const json = /[/+]json/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, unknown>,
      text: answer.payload,
      body: json && answer.payload !== '' ? JSON.parse(answer.payload) : undefined,
    } as FeatureAnswer;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
