import type { RunContext } from '@countersign/tool-kit';
import type { ErpRecord, Hermes, Kind, Query, Values } from '../hermes/port.js';
import { notFound } from '../hermes/refusal.js';
import { hermesOf } from './connection.js';

/** Inputs of a list that are Hermes' own; all others are fields of the system. */
interface Listed {
  limit?: unknown;
  cursor?: unknown;
  text?: unknown;
  as_of?: unknown;
}

/** A record as a tool answers it: its id under the name that agents know, and the fields of the system as they are. */
export const shown = (id_name: string, { id, status, external_url, fields }: ErpRecord): Values => ({
  [id_name]: id,
  status,
  external_url,
  ...fields,
});

/** @throws ToolError that names the input if there is no such record */
export async function recordOf(erp: Hermes, kind: Kind, id_name: string, id: string): Promise<ErpRecord> {
  const record = await erp.read(kind, id);
  if (!record) throw notFound(`/${id_name}`, id);
  return record;
}

/** `run` of a tool that reads the record which one input names. What the system answered is checked by the executor, behind the mapping. */
export function reads(kind: Kind, id_name: string) {
  return async (input: Values, ctx: RunContext): Promise<never> =>
    shown(id_name, await recordOf(await hermesOf(ctx), kind, id_name, String(input[id_name]))) as never;
}

/** `run` of a tool that lists records, a page at a time. */
export function lists(kind: Kind, id_name: string, query: Pick<Query, 'open'> = {}) {
  return async ({ limit = 50, cursor, text, as_of, ...where }: Values & Listed, ctx: RunContext): Promise<never> => {
    const asked: Query = { ...query, where };
    if (typeof text === 'string') asked.text = text;
    if (typeof as_of === 'string') asked.overdue_at = as_of;
    const found = await (await hermesOf(ctx)).find(kind, asked, { limit: Number(limit), cursor: cursor as string | undefined });
    return { items: found.items.map((record) => shown(id_name, record)), next_cursor: found.next_cursor } as never;
  };
}
