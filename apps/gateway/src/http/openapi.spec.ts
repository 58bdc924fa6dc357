import { RequestMethod } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { expect, test } from 'vitest';
import { documentOf, routedGateway, routesOf } from '../testing/api-document.js';
import { REQUEST_ID_HEADER } from './request-id.js';

const app = await routedGateway();
const document = documentOf(app);
const operations = routesOf(document);

test('every operation has a unique id, its path parameters and a problem as its other response', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  for (const { path, operation } of operations) {
    const named = operation.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => `{${parameter.name}}`);
    expect(named).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(operation.responses.default).toBeDefined();
  }
});

test('every reference leads to a schema, and no schema is only a reference', () => {
  const { schemas } = document.components as { schemas: Record<string, { $ref?: string }> };
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string);
  // Routes with separately declared schemas still have anonymous ones, until they are migrated.
  const named = references.filter((reference) => !reference.startsWith('#/$defs/__schema'));
  const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((reference) => !known.includes(reference))).toEqual([]);
  expect(Object.entries(schemas).filter(([, { $ref }]) => $ref !== undefined)).toEqual([]);
});

test('every response of every operation has the header with the request id', () => {
  for (const { method, path, operation } of operations)
    for (const [status, { headers }] of Object.entries(operation.responses as Record<string, { headers?: object }>))
      expect([method, path, status, Object.keys(headers ?? {})]).toEqual([
        method,
        path,
        status,
        expect.arrayContaining([REQUEST_ID_HEADER]),
      ]);
});

test('bodies are documented by the schemas that validate them', () => {
  const call = document.paths['/v1/calls']?.post?.requestBody;
  expect(JSON.stringify(call)).toContain('"additionalProperties":false');
  expect(JSON.stringify(call)).toContain('callback_url');
});

test('a body is required unless its route accepts requests without one', () => {
  const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
  expect(optional.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'POST /v1/calls/{call_id}/cancel',
    'POST /v1/cases',
    'POST /v1/retention/runs',
    'POST /v1/sagas/{saga_id}/cancel',
    'POST /v1/sagas/{saga_id}/pause',
    'POST /v1/sagas/{saga_id}/resume',
    'POST /v1/sagas/{saga_id}/retry',
  ]);
});

test('the request headers of every operation are documented', () => {
  const headers = (path: string, method: string) =>
    document.paths[path]?.[method]?.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  expect(headers('/v1/calls', 'post')).toEqual(['Idempotency-Key', 'Prefer', 'traceparent']);
  expect(headers('/v1/calls/{call_id}/events', 'get')).toEqual(['Last-Event-ID']);
  expect(headers('/v1/cases/{case_id}/events', 'get')).toEqual(['Last-Event-ID']);
});

test('the document has exactly the routes of the controllers, so that test/tenants probes all of them', () => {
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()].flatMap(({ metatype }) => metatype ?? []));
  const pathsOf = (about: object) => [Reflect.getMetadata('path', about) as string | string[]].flat();
  // Pages for people are not part of the API.
  const stated = controllers.filter((controller) => !Reflect.hasMetadata('swagger/apiExcludeController', controller));
  const routes = stated.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value: handler }) => {
      const method: RequestMethod | undefined = typeof handler === 'function' ? Reflect.getMetadata('method', handler) : undefined;
      if (method === undefined) return [];
      const parts = pathsOf(controller).flatMap((first) => pathsOf(handler).map((rest) => `${first}/${rest}`.split('/').filter(Boolean)));
      return parts.map(
        (names) =>
          `${RequestMethod[method]} /${names
            .join('/')
            .replace(/(?<=\/):(\w+)/g, '{$1}')
            .replace('::', ':')
            .replace('*', '{path}')}`,
      );
    }),
  );
  expect(routes.length).toBeGreaterThan(100);
  expect(routes.sort()).toEqual(operations.map(({ path, method }) => `${method} ${path}`).sort());
});
