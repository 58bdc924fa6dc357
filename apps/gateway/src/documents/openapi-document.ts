import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { described } from '../http/answer.decorator.js';
import { REQUEST_ID_HEADER } from '../http/request-id.js';
import { type ComponentSchemas, componentSchemas, type Json } from './component-schemas.js';
import { problemSchema } from './problem-schema.js';

/** Marks the schema of an optional body until the document is complete. */
const OPTIONAL = 'x-optional-body';

/** Converts a zod schema for swagger. */
function converted(type: unknown, { schemaType }: { schemaType: 'input' | 'output' }): ComponentSchemas | undefined {
  if (!(type instanceof z.ZodType)) return undefined;
  const { schema, components } = componentSchemas(type, schemaType);
  if (schemaType !== 'input' || !type.safeParse(undefined).success) return { schema, components };
  const all = type.safeParse(null).success ? orNull(schema) : schema;
  return { schema: { ...all, [OPTIONAL]: true }, components };
}

/** A body that may be absent may be null, too. */
const orNull = (schema: Json): Json =>
  schema.type === 'object' ? { ...schema, type: ['object', 'null'] } : { anyOf: [schema, { type: 'null' }] };

/** Nest marks every body as required: removes the mark from optional bodies. */
function requiredBodies(paths: OpenAPIObject['paths']): void {
  for (const { requestBody } of Object.values(paths).flatMap((methods) => Object.values(methods) as { requestBody?: Json }[])) {
    const schema = (requestBody?.content as { 'application/json'?: { schema: Json } } | undefined)?.['application/json']?.schema;
    if (!requestBody || !schema?.[OPTIONAL]) continue;
    requestBody.required = false;
    delete schema[OPTIONAL];
  }
}

/** The error response of every route. */
const problem = {
  description: 'a problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const requestId = described({
  [REQUEST_ID_HEADER]: 'the id of the request: the one that the caller sent in this header or in `X-Request-Id`, else a new UUIDv7',
});

/** Adds the request id header to every response. */
function identifiedAnswers(paths: OpenAPIObject['paths']): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as { responses?: Record<string, Json> }[]);
  for (const { responses = {} } of operations)
    for (const [status, response] of Object.entries(responses))
      responses[status] = { ...response, headers: { ...(response.headers as Json | undefined), ...requestId } };
}

const SAFE: ReadonlySet<string> = new Set(['get', 'head']);
/** The alternatives to a Bearer token: a session cookie, and for changes the token of the session besides. */
const byCookie = (method: string) => (SAFE.has(method) ? { session: [] } : { session: [], request_token: [] });

/** Only routes below `/v1` take session cookies. */
function sessions(paths: OpenAPIObject['paths']): void {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods) as [string, { security?: Json[] }][])
      if (path.startsWith('/v1/') && operation.security?.some((scheme) => 'bearer' in scheme))
        operation.security = [...operation.security, byCookie(method)];
}

const about = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  .setTitle('Countersign')
  .setVersion('0.1.0')
  .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
  .addCookieAuth('__Host-countersign', { type: 'apiKey', description: 'on http at loopback: `countersign`' }, 'session')
  .addApiKey({ type: 'apiKey', in: 'header', name: 'Countersign-Session', description: '`request_token` of the session' }, 'request_token')
  .addSecurityRequirements('bearer')
  .addGlobalResponse({ status: 'default', ...problem })
  .build();

/** `LimitsController.set` is `limits_set`. */
const operationIdOf = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '')}_${method}`.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

/** The HTTP API as OpenAPI 3.1, from the decorators of its routes. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const stated = SwaggerModule.createDocument(app, about, { standardSchemaConverter: converted, operationIdFactory: operationIdOf });
  requiredBodies(stated.paths);
  identifiedAnswers(stated.paths);
  sessions(stated.paths);
  const info = { ...stated.info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } };
  const schemas = { ...stated.components?.schemas, ...componentSchemas(problemSchema, 'output').components };
  return { ...stated, info, components: { ...stated.components, schemas } } as OpenAPIObject;
}
