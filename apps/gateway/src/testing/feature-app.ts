import 'reflect-metadata';
import { type Caller, Readable, RecordGuard, Refusal } from '@countersign/calls';
import { createLogger } from '@countersign/process';
import { type DynamicModule, Global, Module, type Provider, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Face } from '../http/face.js';
import { HttpModule } from '../http/http.module.js';
import type { Authenticator } from '../identity/authenticator.js';
import type { RefusedRequests } from '../identity/refused-requests.js';

export interface FeatureAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of JSON
  body: any;
}

/** The caller of a token that names roles: `operator`, or `approver,auditor`. */
function callerOf(authorization: string | undefined): Caller | Refusal {
  const token = authorization?.replace(/^Bearer /, '');
  if (!token) return new Refusal('unauthenticated', 'send `Authorization: Bearer <key>`');
  const principal = { kind: 'user' as const, id: 'ada', roles: token.split(',') };
  return { tenant_id: 'acme', key_id: 'k1', principal, issuer: 'local', scopes: [], clearances: [], authority: {} as Caller['authority'] };
}

@Global()
@Module({})
class SharedModule {
  static with(providers: Provider[]): DynamicModule {
    return { module: SharedModule, providers, exports: providers };
  }
}

/** One feature of the gateway by itself: its routes behind the real guards, pipe, interceptors and filter. Nothing listens. */
export class FeatureApp {
  private constructor(private readonly app: NestFastifyApplication) {}

  /** `providers`: what the feature is given by others. Readable and RecordGuard have a default. */
  static async open(feature: Type | DynamicModule, providers: Provider[]): Promise<FeatureApp> {
    const logger = createLogger('gateway', 'silent');
    const authenticator = { caller: callerOf } as unknown as Authenticator;
    const face = new Face(authenticator, logger, Readable.plain, { note: () => undefined } as unknown as RefusedRequests);
    const record = new RecordGuard({ state: undefined as never }, undefined);
    const defaults: Provider[] = [
      { provide: Face, useValue: face },
      { provide: Readable, useValue: Readable.plain },
      { provide: RecordGuard, useValue: record },
    ];
    const shared = SharedModule.with([...defaults, ...providers]);
    const module = await Test.createTestingModule({ imports: [shared, HttpModule.of(logger, true), feature] }).compile();
    const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
    return new FeatureApp(app);
  }

  /** `roles`: of the caller, separated by commas; empty: no token. */
  async send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, roles: string, body?: object): Promise<FeatureAnswer> {
    const headers = roles === '' ? {} : { authorization: `Bearer ${roles}` };
    const answer = await this.app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
    const is_json = /[/+]json/.test(String(answer.headers['content-type']));
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: is_json ? JSON.parse(answer.body) : undefined };
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
