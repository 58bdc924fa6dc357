import { z } from 'zod';
import type { ApiRoute } from './api-route.js';
import { apiRoutes } from './api-routes.js';
import { problemKinds } from './problem.js';
import { routeRoles } from './route-roles.js';

type Json = Record<string, unknown>;

const nullable = (type: string): Json => ({ type: [type, 'null'] });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const page = (items: Json): Json => ({
  type: 'object',
  required: ['items', 'next_cursor'],
  properties: { items: { type: 'array', items }, next_cursor: nullable('string') },
});

const schemas: Json = {
  Object: { type: 'object' },
  Page: page({ type: 'object' }),
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: { enum: problemKinds.map((kind) => `urn:countersign:problem:${kind}`) },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      instance: { type: 'string' },
      code: { type: 'string' },
    },
  },
};

const pageHeaders: Json = {
  'Countersign-Views': {
    description:
      'there where the views have not caught up with the log within a second, or what `Prefer: wait=N` says: what is missing may still be there',
    schema: { enum: ['behind'] },
  },
};

function answer(name: string): Json {
  if (name === '') return { description: 'done' };
  const content = name.includes('/') ? { [name]: { schema: { type: 'string' } } } : { 'application/json': { schema: ref(name) } };
  return { description: 'the answer', content, ...(name === 'Page' ? { headers: pageHeaders } : {}) };
}

const problem: Json = { description: 'a problem document (RFC 9457)', content: { 'application/problem+json': { schema: ref('Problem') } } };

/** Changes that are no edits of something that was read: they add up with any other. */
const NO_EDITS: ReadonlySet<string> = new Set(['/v1/runs/{run_id}/transcript']);
const editHeaders = {
  'If-Match': 'the ETag that was read: 412 where the thing has changed since. Without it the change is made on what is there',
  'If-None-Match': '`*`: only where there is no such thing yet (412)',
} as const;
/** Additions that services act by, as they do by most edits. */
const ADDITIONS: ReadonlySet<string> = new Set(['/v1/vote-delegations']);
const changeHeaders = {
  Prefer: '`wait=N`: seconds, up to 60, until a change that not every running instance has yet is answered; 1 without it',
} as const;

function headersOf({ method, path, headers = {} }: ApiRoute): Readonly<Record<string, string>> {
  const is_edit = (method === 'put' || method === 'patch' || method === 'delete') && !NO_EDITS.has(path);
  if (is_edit) return { ...headers, ...editHeaders, ...changeHeaders };
  return method === 'post' && ADDITIONS.has(path) ? { ...headers, ...changeHeaders } : headers;
}

function parameters(route: ApiRoute): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, type]) => ({
    name,
    in: 'query',
    required: false,
    schema: schemaOf(type as z.ZodType),
  }));
  const inHeaders = Object.entries(headersOf(route)).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeaders];
}

function schemaOf(type: z.ZodType): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Json;
  return schema;
}

/** A body may be left out exactly where its schema takes none. */
function requestBody(body: z.ZodType): Json {
  return { required: !body.safeParse(undefined).success, content: { 'application/json': { schema: schemaOf(body) } } };
}

function operation(route: ApiRoute): Json {
  const responses = Object.fromEntries(Object.entries(route.answers).map(([status, name]) => [status, answer(name)]));
  return {
    operationId: `${route.method}_${route.path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
    summary: route.summary,
    tags: [route.tag],
    parameters: parameters(route),
    ...(route.body ? { requestBody: requestBody(route.body) } : {}),
    responses: { ...responses, default: problem },
    ...(route.open ? { security: [] } : { 'x-countersign-roles': route.roles ?? routeRoles[`${route.method} ${route.path}`] ?? [] }),
  };
}

/** The routes of the controllers that do not state theirs by decorators yet, with the schemas that they name. */
export function statedApart(): { paths: Record<string, Json>; schemas: Json } {
  const paths: Record<string, Json> = {};
  for (const route of apiRoutes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  return { paths, schemas };
}
