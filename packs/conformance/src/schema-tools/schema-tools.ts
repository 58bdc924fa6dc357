import { defineTool } from '@countersign/tool-kit';
import { suiteOutput, text } from '../suite-tool.js';

const base = { version: '1.0.0', category: 'conformance', effect_class: 'read_internal', output: suiteOutput } as const;

/** Tools whose schemas must arrive unchanged. */
export const schemaTools = [
  defineTool({
    ...base,
    name: 'json_schema_2020_12_tool',
    title: 'JSON Schema 2020-12',
    description: 'Has an input schema with the keywords of JSON Schema 2020-12.',
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: async (input) => ({ content: [text(`called with ${JSON.stringify(input)}`)] }),
  }),
  defineTool({
    ...base,
    name: 'test_x_mcp_header',
    title: 'Parameter header',
    description: 'Has a parameter that clients also send as a header.',
    input: {
      type: 'object',
      properties: {
        region: { type: 'string', description: 'sent as Mcp-Param-Region too', 'x-mcp-header': 'Region' },
        level: { type: 'integer', description: 'not sent as a header' },
      },
      additionalProperties: false,
    },
    run: async (input) => ({ content: [text(`region=${String((input as { region?: unknown }).region ?? 'none')}`)] }),
  }),
];
