import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { statedApart } from './stated-apart.js';

type Json = Record<string, unknown>;

/** A schema of ours as JSON Schema; those with an id (`.meta({ id })`) become components. */
function converted(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }) {
  if (!(schema instanceof z.ZodType)) return undefined;
  const { $schema: _dialect, $defs = {}, ...own } = jsonSchema(schema, schemaType);
  const id = schema.meta()?.id;
  if (id === undefined) return { schema: own, components: namesOf($defs as Json) };
  // zod puts a schema with an id among its own definitions and refers to it, or answers with it: both are the component.
  const components = '$ref' in own ? ($defs as Json) : { ...($defs as Json), [id]: own };
  return { schema: { $ref: `#/components/schemas/${id}` }, components: namesOf(components) };
}

/** zod makes a definition without a name of each `z.json()`, which is any JSON: `{}`. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const { $defs = {}, ...own } = JSON.parse(text.replaceAll(/\{"\$ref":"#\/\$defs\/__schema\d+"\}/g, '{}')) as Json;
  return { ...own, $defs: Object.fromEntries(Object.entries($defs as Json).filter(([name]) => !name.startsWith('__schema'))) };
}

/** Definitions by their names; they need no id inside. */
function namesOf(definitions: Json): Json {
  return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, { ...(definition as Json), id: undefined }]));
}

/** Besides what a route answers: what went wrong. */
const problem = {
  description: 'a problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const about = new DocumentBuilder()
  .setOpenAPIVersion('3.1.0')
  .setTitle('Countersign')
  .setVersion('0.1.0')
  .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
  .addSecurityRequirements('bearer')
  .addGlobalResponse({ status: 'default', ...problem })
  .build();

/** `LimitsController.set` is `limits_set`. */
const operationIdOf = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '')}_${method}`.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

/** Routes that have not moved to decorators have no access there: they are stated apart. */
const isStated = (operation: Json): boolean => 'x-countersign-roles' in operation || 'x-countersign-public' in operation;

/** The HTTP API as OpenAPI 3.1, from what the decorators of its routes state. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const stated = SwaggerModule.createDocument(app, about, { standardSchemaConverter: converted, operationIdFactory: operationIdOf });
  const apart = statedApart();
  const paths: Record<string, Json> = { ...apart.paths };
  for (const [path, methods] of Object.entries(stated.paths)) {
    const own = Object.entries(methods as Json).filter(([, operation]) => isStated(operation as Json));
    if (own.length > 0) paths[path] = { ...paths[path], ...Object.fromEntries(own) };
  }
  const info = { ...stated.info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } };
  const components = { ...stated.components, schemas: { ...apart.schemas, ...stated.components?.schemas } };
  return { ...stated, info, paths, components } as OpenAPIObject;
}
