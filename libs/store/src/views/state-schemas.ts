import { packedSchemas } from '@countersign/contracts';
import type { Sql } from '../store.js';

/** A schema that states are packed with (`PackedType`). */
export interface StateSchema {
  id: number;
  text: string;
}

/** To be done before the first state is written with it: whoever reads the row later may have another version of it. */
export async function keepStateSchema(sql: Sql, { id, text }: StateSchema): Promise<void> {
  await sql.query({ text: 'INSERT INTO state_schemas (schema_id, schema) VALUES ($1, $2) ON CONFLICT DO NOTHING', params: [id, text] });
}

/** The same rows, once the schemas of their states are known to this process. Asks the database only for one that is not. */
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
