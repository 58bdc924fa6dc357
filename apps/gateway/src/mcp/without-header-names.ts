import type { JsonSchema } from '@countersign/contracts';

const HEADER_NAME = 'x-mcp-header';

/**
 * The schema without `x-mcp-header`, which asks a client to send the value of an argument as a header too. Nothing here routes by
 * arguments, and headers end in the logs of proxies.
 */
export function withoutHeaderNames(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema);
  if (!text.includes(HEADER_NAME)) return schema;
  return JSON.parse(text, (name, value) => (name === HEADER_NAME ? undefined : value)) as JsonSchema;
}
