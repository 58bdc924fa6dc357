import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { documentOf, type Operation, routedGateway, routesOf } from '../testing/api-document.js';

interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: unknown[];
  default?: unknown;
}
type Content = Record<string, { schema?: Schema }>;
interface TypedOperation extends Omit<Operation, 'parameters' | 'requestBody'> {
  responses: Record<string, { content?: Content }>;
  parameters: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Content };
}

const document = documentOf(await routedGateway());
const operations = routesOf(document).map(({ method, path, operation }) => ({
  name: `${method} ${path}`,
  operation: operation as unknown as TypedOperation,
}));

/** True if a schema constrains its value. */
const isTyped = (schema: Schema | undefined): boolean => schema !== undefined && Object.keys(schema).length > 0;
const isNamed = ({ $ref }: Schema): boolean => $ref?.startsWith('#/components/schemas/') ?? false;

test('the document is OpenAPI 3.1 to an independent validator', async () => {
  expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
});

test('every operation declares its response: JSON by a named schema, other media types as text, 204 without a body, or a redirect', () => {
  const untyped = operations.filter(({ operation }) => {
    const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    return (
      (good.length === 0 && operation.responses['302'] === undefined) ||
      good.some(([status, { content }]) => {
        if (status === '204') return content !== undefined;
        const types = Object.entries(content ?? {});
        return (
          types.length === 0 ||
          types.some(([type, { schema }]) => (type === 'application/json' ? !isNamed(schema ?? {}) : !isTyped(schema)))
        );
      })
    );
  });
  expect(operations.length).toBeGreaterThan(150);
  expect(untyped.map(({ name }) => name)).toEqual([]);
});

test('every other response is a problem document', () => {
  const others = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content }]) =>
      status.startsWith('2') || status.startsWith('3') || (status === '503' && name === 'GET /readyz')
        ? []
        : [[name, status, content?.['application/problem+json']?.schema?.$ref]],
    ),
  );
  expect(others.length).toBeGreaterThanOrEqual(operations.length);
  expect(others.filter(([, , schema]) => schema !== '#/components/schemas/Problem')).toEqual([]);
});

test('every parameter and body is typed, and a parameter with a default is not required', () => {
  for (const { name, operation } of operations) {
    for (const { name: parameter, required, schema } of operation.parameters) {
      expect([name, parameter, isTyped(schema)]).toEqual([name, parameter, true]);
      if (schema?.default !== undefined) expect([name, parameter, required ?? false]).toEqual([name, parameter, false]);
    }
    if (operation.requestBody) expect([name, isTyped(operation.requestBody.content['application/json']?.schema)]).toEqual([name, true]);
  }
});

test('nothing in it stops generators: no references to $defs, boolean schemas in tuples or unnamed recursions', () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('$defs');
  expect(text).not.toContain('"items":false');
  expect(text).not.toContain('Recursive_');
});
