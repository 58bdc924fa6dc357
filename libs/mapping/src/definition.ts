/** The form of numbers on one side. `integer` is in the smallest unit: 12.50 with a scale of 2 is 1250. */
export interface NumberForm {
  as: 'number' | 'string' | 'integer';
  /** Digits after the decimal point. Texts are written with so many; for integers it defines the unit. */
  scale?: number | undefined;
  /** Decimal separator of texts; default `.`. */
  point?: '.' | ',' | undefined;
  /** Thousands separator of texts; default none. */
  group?: '.' | ',' | ' ' | "'" | undefined;
}

/** The format of a time: `iso`, `iso_date`, `unix_s`, `unix_ms`, or a pattern of YYYY MM DD HH mm ss SSS. */
export interface DateForm {
  form: string;
  /** Fixed UTC offset of patterns, for example `+02:00`; default UTC. */
  offset?: string | undefined;
}

/** The form of a list of records as commands of an ERP: Odoo `[[0,0,{…}]]`, Tryton `[['create',[{…}]]]`. */
export type CommandForm = 'odoo_one2many' | 'tryton_create';

/**
 * One rule of a mapping: its source, its steps in the order of the fields, and its target. Places are JSON Pointers; inside `each` they are
 * relative to the item.
 */
export interface MappingRule {
  from?: string | undefined;
  to?: string | undefined;
  /** The field is known but not sent. */
  drop?: true | undefined;
  /** The value if `from` has none or is absent. Only `value` is applied to it, no other step. */
  default?: unknown;
  /** Name of a table that replaces an id. A value that is not in the table is refused. */
  lookup?: string | undefined;
  /** The same table in the reverse direction. */
  lookup_back?: string | undefined;
  date?: { from: DateForm; to: DateForm } | undefined;
  decimal?: { from: NumberForm; to: NumberForm } | undefined;
  /** Maps the items of a list, or the fields of an object. */
  each?: MappingRule[] | undefined;
  /** Of a list in `results`: leaves out items with an id that no table has, with a warning. Absent: one such item refuses the whole result. */
  skip_unknown?: true | undefined;
  as?: CommandForm | undefined;
  /** Extracts a list from such commands. */
  out_of?: CommandForm | undefined;
  /** JSONata. Its input is the value so far (without `from`: the whole document); `$document` is the document, `$tables` the tables. */
  value?: string | undefined;
  /** The fields that `value` reads besides `from`: they count as mapped. */
  uses?: string[] | undefined;
}

export type MappingMode = 'strict' | 'permissive';

/** Maps between the form of agents and the form of a tenant's system, for one tool. */
export interface MappingDefinition {
  /** Null or absent: the tenant's default. Strict refuses unmapped fields; permissive passes them on with a warning. */
  mode?: MappingMode | null | undefined;
  inputs: MappingRule[];
  /** `inverse`: the reversed rules of the inputs, if they are reversible. Absent: results pass unchanged. */
  results?: MappingRule[] | 'inverse' | undefined;
  tables?: Record<string, Record<string, string | number | boolean>> | undefined;
}

/** A fault at a place of a value or a definition. */
export interface MappingIssue {
  /** JSON Pointer. */
  path: string;
  message: string;
}

/** A fault found by a step; `MappingFault.issue` adds the place. */
export class MappingFault extends Error {}

/** A value that a table does not have. */
export class UnknownEntry extends MappingFault {}
