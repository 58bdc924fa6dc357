const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;

const part = (type: string, members: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties: { type: { const: type }, ...members },
  required: ['type', ...Object.keys(members)],
  additionalProperties: false,
});

const content = {
  type: 'array',
  items: {
    anyOf: [
      part('text', { text }),
      part('attachment', { content_type: text, url: text, bytes: { type: 'integer', minimum: 0 }, uri: textOrNull }),
      part('resource', { uri: text, content_type: textOrNull, text }),
      part('link', { uri: text, name: text, description: textOrNull }),
    ],
  },
};

/** Makes the server's schema a resource of its own, so that its `#/$defs/…` stay valid where it is nested. */
const NESTED_ID = 'urn:countersign:upstream:structured';

function nested(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _, ...rest } = schema;
  if (!JSON.stringify(rest).includes('"$ref"')) return rest;
  const { $ref, allOf, ...others } = rest;
  // A reference beside nothing else would make Ajv look for itself without end where it is nested.
  const all = [...($ref === undefined ? [] : [{ $ref }]), ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])];
  return { ...others, ...(all.length === 0 ? {} : { allOf: all }), $id: NESTED_ID };
}

/** The output schema of the contract of an upstream tool. `structured`: the server's own schema; absent: the server may return anything. */
export function upstreamOutputSchema(structured: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return {
    type: 'object',
    properties: { content, structured: structured ? nested(structured) : {} },
    required: ['content', 'structured'],
    additionalProperties: false,
  };
}
