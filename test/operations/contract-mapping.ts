import { existsSync, readFileSync } from 'node:fs';
import type { MappingDefinition } from '@countersign/mapping';
import type { Tool } from '@countersign/tool-kit';

type MappingRule = MappingDefinition['inputs'][number];
export type Tables = Record<string, Record<string, string | number>>;

/** Fields with the id of a record, and the table that translates it: records of a contract test have the same names on every system. */
const RECORDS: Record<string, string> = {
  po_id: 'purchases',
  purchase_order: 'purchases',
  quote_id: 'sales',
  order_id: 'sales',
  order: 'sales',
  production_id: 'productions',
  invoice_id: 'invoices',
  stock_id: 'stocks',
  id: 'records',
};
const BACK: readonly string[] = ['/quote_id', '/invoice_id'];

/** The example of the pack for a tool of this system, or its fields as they are; with the tables and the ids of a world. */
export function contractMapping(system: string, { contract }: Tool, tables: Tables): MappingDefinition {
  const file = `packs/operations/mappings/${system}/${contract.name}.json`;
  const names = Object.keys(contract.input_schema.properties as object).map((name) => ({ from: `/${name}`, to: `/${name}` }));
  const example: MappingDefinition = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MappingDefinition) : { inputs: names };
  const inputs = example.inputs.map((rule) => translated(rule, RECORDS[rule.from?.slice(1) ?? '']));
  const results = Array.isArray(example.results) ? example.results.map(backTranslated) : undefined;
  return { mode: 'strict', inputs, ...(results && { results }), tables: { ...example.tables, ...tables } };
}

const translated = (rule: MappingRule, table: string | undefined): MappingRule =>
  table === undefined || rule.lookup !== undefined ? rule : { ...rule, lookup: table };

/** Ids in results that a golden compares. */
function backTranslated(rule: MappingRule): MappingRule {
  if (rule.each) return { ...rule, each: rule.each.map(backTranslated) };
  return BACK.includes(rule.from ?? '') ? { ...rule, lookup_back: RECORDS[rule.from?.slice(1) as string] } : rule;
}
