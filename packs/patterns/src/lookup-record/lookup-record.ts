import type { RunContext } from '@countersign/tool-kit';
import { defineLookup, lookupError } from '@countersign/tool-kit/patterns/lookup';
import { z } from 'zod';
import { readRecord } from '../records.js';

const period = { valid_from: z.iso.datetime(), valid_to: z.iso.datetime().nullable() };
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const entry = z.strictObject({ id: z.string(), ...period, fields: z.record(z.string(), value) });
/** A register is a file `registers/<name>.json`. */
const register = z.strictObject({
  version: z.string().min(1),
  /** The register is complete up to this time; it cannot answer for a later one. */
  complete_until: z.iso.datetime(),
  /** Principals that may read it; absent: all. */
  readers: z.array(z.string()).optional(),
  entries: z.array(entry),
});

/** Looks up an identifier in a register, in its current or an earlier state. */
export const lookupRecord = defineLookup({
  name: 'lookup_record',
  version: '1.0.0',
  title: 'Look up a record',
  description: 'Finds the record of an identifier in a named register of the tenant (for example countries), now or as of a time.',
  category: 'data',
  capabilities: ['lookup', 'master_data'],
  scopes: ['tool.lookup_record.invoke'],
  purposes: ['reference'],
  cache: { kind: 'ttl', ttl_ms: 60_000 },
  sla: { p50_ms: 10, p95_ms: 50, p99_ms: 200, availability: 0.999 },
  source: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/),
  record: z.strictObject({ ...period, fields: z.record(z.string(), value) }),
  versionOf: async (source, ctx) => (await readRegister(source, ctx)).version,
  lookUp: async ({ identifier, source, as_of_ms }, ctx) => {
    const { version, complete_until, readers, entries } = await readRegister(source, ctx);
    if (readers && !readers.includes(ctx.principal.id))
      throw lookupError('permission_denied', `${ctx.principal.id} may not read ${source}`);
    const at_ms = as_of_ms ?? Date.now();
    const known = entries.filter(({ id }) => id === identifier);
    const valid = known.find(
      (each) => Date.parse(each.valid_from) <= at_ms && (each.valid_to === null || at_ms < Date.parse(each.valid_to)),
    );
    if (at_ms > Date.parse(complete_until)) throw lookupError('stale_replica', `${source} is complete only until ${complete_until}`);
    if (!valid) throw lookupError('not_found', `${source} has no ${JSON.stringify(identifier)}${known.length > 0 ? ' at that time' : ''}`);
    const { id: _id, ...record } = valid;
    return { record, source_version: version };
  },
});

async function readRegister(name: string, ctx: RunContext): Promise<z.output<typeof register>> {
  let text: string | undefined;
  try {
    text = await readRecord(ctx, 'registers', `${name}.json`);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'EACCES' || code === 'EPERM') throw lookupError('permission_denied', `the register ${name} cannot be read`);
    if (code === 'CANCELLED') throw error;
    throw lookupError('source_unavailable', `the register ${name} cannot be read (${code})`);
  }
  if (text === undefined) throw lookupError('source_unavailable', `register ${name} does not exist`);
  try {
    return register.parse(JSON.parse(text));
  } catch {
    throw lookupError('source_unavailable', `the register ${name} is damaged`);
  }
}
