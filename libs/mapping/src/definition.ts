/** How numbers are written on one side. `integer` holds the smallest unit: 12.50 with a scale of 2 is 1250. */
export interface NumberForm {
  as: 'number' | 'string' | 'integer';
  /** Digits after the point; for texts it is what is written, for integers it says what they count. */
  scale?: number | undefined;
  /** Decimal sign of texts; default `.`. */
  point?: '.' | ',' | undefined;
  /** Sign between thousands in texts; default none. */
  group?: '.' | ',' | ' ' | "'" | undefined;
}

/** How a moment is written: `iso`, `iso_date`, `unix_s`, `unix_ms`, or a pattern of YYYY MM DD HH mm ss SSS. */
export interface DateForm {
  form: string;
  /** Fixed offset of patterns, `+02:00`; default UTC. */
  offset?: string | undefined;
}

/** How a list of records is written as commands of an ERP: Odoo `[[0,0,{…}]]`, Tryton `[['create',[{…}]]]`. */
export type CommandForm = 'odoo_one2many' | 'tryton_create';

/**
 * One line of a mapping: what it takes, what it does with it in this order, where it puts it. Places are JSON Pointers,
 * inside `each` relative to the item.
 */
export interface MappingRule {
  from?: string | undefined;
  to?: string | undefined;
  /** Knows the field and does not send it. */
  drop?: true | undefined;
  /** Taken where there is nothing at `from`, or where there is no `from`. Goes through nothing but `value`. */
  default?: unknown;
  /** Name of a table that replaces an id. A value that it does not hold is refused. */
  lookup?: string | undefined;
  /** The same table read from its values to its keys. */
  lookup_back?: string | undefined;
  date?: { from: DateForm; to: DateForm } | undefined;
  decimal?: { from: NumberForm; to: NumberForm } | undefined;
  /** Maps the items of a list, or the fields of an object. */
  each?: MappingRule[] | undefined;
  as?: CommandForm | undefined;
  /** Takes a list out of such commands. */
  out_of?: CommandForm | undefined;
  /** JSONata; its input is the value so far (the whole document where there is no `from`), `$document` the document, `$tables` the tables. */
  value?: string | undefined;
  /** What `value` reads besides `from`: these fields count as mapped. */
  uses?: string[] | undefined;
}

export type MappingMode = 'strict' | 'permissive';

/** Between what agents say and what a tenant's system takes, for one tool. */
export interface MappingDefinition {
  /** Null or absent: the tenant's default. Strict refuses a field that no rule knows, permissive passes it on with a warning. */
  mode?: MappingMode | null | undefined;
  inputs: MappingRule[];
  /** `inverse`: the inputs' rules backwards, where that is possible. Absent: results pass as they are. */
  results?: MappingRule[] | 'inverse' | undefined;
  tables?: Record<string, Record<string, string | number | boolean>> | undefined;
}

/** Something wrong at a place of a value or of a definition. */
export interface MappingIssue {
  /** JSON Pointer. */
  path: string;
  message: string;
}

/** A fault that a step found; `MappingFault.issue` says where. */
export class MappingFault extends Error {}
