import { type EventCodec, type EventSchema, eventSchemas } from '@countersign/contracts';

/**
 * The schemas by which these values were written, by id: those that a verifier knows, of whatever version. A registry may have changed the
 * spacing of a text.
 */
export function schemasOf(codec: Pick<EventCodec, 'schemaId' | 'schemaText'>, values: readonly Buffer[]): Record<string, string> {
  const schemas: Record<string, string> = {};
  for (const value of values) {
    const id = codec.schemaId(value);
    const text = id === undefined || schemas[id] !== undefined ? undefined : codec.schemaText(id);
    if (id !== undefined && text !== undefined) schemas[id] = knownAs(text)?.schema ?? text;
  }
  return schemas;
}

const compact = (schema: string): string => JSON.stringify(JSON.parse(schema));

function knownAs(text: string): EventSchema | undefined {
  return eventSchemas.find(({ schema }) => schema === text) ?? eventSchemas.find(({ schema }) => compact(schema) === compact(text));
}
