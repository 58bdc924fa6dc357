import { Refusal } from '@countersign/calls';
import { definitionFaults, type MappingDefinition, type MappingIssue } from '@countersign/mapping';
import { z } from 'zod';

const pointer = z.string().max(1000);
const name = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'has 1 to 64 characters of A-Z a-z 0-9 _ . -');
const numberForm = z.strictObject({
  as: z.enum(['number', 'string', 'integer']),
  scale: z.int().min(0).max(20).optional(),
  point: z.enum(['.', ',']).optional(),
  group: z.enum(['.', ',', ' ', "'"]).optional(),
});
const dateForm = z.strictObject({ form: z.string().min(1).max(60), offset: z.string().max(10).optional() });
const commands = z.enum(['odoo_one2many', 'tryton_create']);

const rule = z
  .strictObject({
    from: pointer.optional(),
    to: pointer.optional(),
    drop: z.literal(true).optional(),
    default: z.unknown().optional(),
    lookup: name.optional(),
    lookup_back: name.optional(),
    date: z.strictObject({ from: dateForm, to: dateForm }).optional(),
    decimal: z.strictObject({ from: numberForm, to: numberForm }).optional(),
    get each() {
      return z.array(rule).max(200).optional();
    },
    skip_unknown: z
      .literal(true)
      .optional()
      .describe('of a list in results: leaves out items with an id that no table has, with a warning'),
    as: commands.optional(),
    out_of: commands.optional(),
    value: z.string().min(1).max(4000).optional().describe('JSONata'),
    uses: z.array(pointer).max(100).optional(),
  })
  .meta({ id: 'MappingRule' });

const table = z.record(z.string().max(300), z.union([z.string().max(1000), z.number(), z.boolean()]));

/** A mapping definition as published. */
export const mappingDefinition = z
  .strictObject({
    mode: z.enum(['strict', 'permissive']).nullable().optional().describe('absent: the default of the tenant (mapping `*`), else strict'),
    inputs: z.array(rule).max(200).default([]),
    results: z.union([z.array(rule).max(200), z.literal('inverse')]).optional(),
    tables: z.record(name, table).optional(),
  })
  .meta({ id: 'MappingDefinition' });

const version = z.strictObject({ version: z.int().min(1) });
/** Body of `POST /v1/mappings/{tool}/activate`. */
export const activationRequest = version.meta({ id: 'MappingActivation' });
/** Body of `POST /v1/mappings/{tool}/rollback`. */
export const rollbackRequest = version.meta({ id: 'MappingRollback' });

/** Body of `POST /v1/mappings:try`. */
export const tryRequest = z
  .strictObject({
    tool: z.string().min(1).max(128),
    definition: mappingDefinition.optional().describe('an unpublished definition; absent: the published one'),
    version: z.int().min(1).optional(),
    calls_max: z.int().min(0).max(50).default(10).describe('number of the newest recorded calls of the tool to try'),
    inputs: z.array(z.record(z.string(), z.unknown())).max(50).default([]),
    results: z.array(z.record(z.string(), z.unknown())).max(50).default([]),
  })
  .meta({ id: 'MappingTry' });

export type MappingRequest = z.infer<typeof mappingDefinition>;
export type VersionRequest = z.infer<typeof version>;
export type TryRequest = z.infer<typeof tryRequest>;

const ENTRIES_MAX = 50_000;

function sizeFault({ tables = {} }: MappingDefinition): MappingIssue[] {
  const entries = Object.values(tables).reduce((sum, each) => sum + Object.keys(each).length, 0);
  return entries > ENTRIES_MAX ? [{ path: '/tables', message: `at most ${ENTRIES_MAX} entries` }] : [];
}

/** Why a definition cannot be published: all faults with their paths. */
export function definitionProblem(definition: MappingDefinition, under = ''): Refusal | undefined {
  const faults = [...sizeFault(definition), ...definitionFaults(definition)];
  const [first] = faults;
  if (!first) return undefined;
  const issues = faults.slice(0, 50).map(({ path, message }) => ({ path: under + path, code: 'mapping', message }));
  return new Refusal('invalid-mapping', `${under}${first.path}: ${first.message}`, { layer: 'mapping', issues });
}
