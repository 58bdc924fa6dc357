import { packedSchemas } from '@countersign/contracts';
import type { Sql } from '../store.js';

/** A schema with which states are packed (`PackedType`). */
export interface StateSchema {
  id: number;
  text: string;
}

/** Call it before the first state is written with the schema: a later reader may have another version of it. */
export async function keepStateSchema(sql: Sql, { id, text }: StateSchema): Promise<void> {
  await sql.query({ text: 'INSERT INTO state_schemas (schema_id, schema) VALUES ($1, $2) ON CONFLICT DO NOTHING', params: [id, text] });
}

/** Returns the same rows once this process knows the schemas of their states. Queries the database only for unknown schemas. */
export async function readable<R extends { state: Buffer | null }>(sql: Sql, rows: readonly R[]): Promise<readonly R[]> {
  const unknown = new Set<number>();
  for (const { state } of rows) if (state !== null && !packedSchemas.knows(state)) unknown.add(packedSchemas.idOf(state));
  if (unknown.size === 0) return rows;
  const schemas = await sql.query<{ schema_id: number; schema: string }>({
    name: 'views_state_schemas',
    text: 'SELECT schema_id, schema FROM state_schemas WHERE schema_id = ANY ($1::int4[])',
    params: [[...unknown]],
  });
  for (const { schema_id, schema } of schemas) packedSchemas.learn(schema_id, schema);
  return rows;
}
