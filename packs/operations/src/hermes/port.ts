/** What Hermes keeps of a business system. A quote is a sales order that is not confirmed yet. */
export const KINDS = [
  'customer',
  'invoice',
  'product',
  'production_order',
  'proposal',
  'purchase_order',
  'reservation',
  'sales_order',
  'shortage',
  'stock',
  'supplier',
  'vendor_bill',
] as const;
export type Kind = (typeof KINDS)[number];

/** Moves of a record through its states. Which of them a state allows is known by the system alone. */
export const ACTIONS = ['assign', 'cancel', 'confirm', 'done', 'draft', 'post', 'process', 'quote', 'run', 'wait'] as const;
export type Action = (typeof ACTIONS)[number];

/** Values in the shape of the system: behind a mapping of the tenant, else as the agent wrote them. */
export type Values = Readonly<Record<string, unknown>>;

/** One record as its system has it. */
export interface ErpRecord {
  readonly id: string;
  /** The state, in the words of Hermes. */
  readonly status: string;
  /** The reference of people, with the marks of attempts. */
  readonly reference: string;
  readonly external_url: string;
  /** Of an order: the quantities of its lines, in their order. */
  readonly line_quantities?: readonly number[];
  /** The other fields, in the shape of the system. */
  readonly fields: Values;
}

/** Which records to find. */
export interface Query {
  /** Fields that must equal these values, in the shape of the system. */
  where: Values;
  /** Only what waits for a decision: quotes and orders that are not confirmed. */
  open?: boolean;
  /** Only unpaid invoices that were due before this ISO date. */
  overdue_at?: string;
  /** Only records whose name or code contains this text. */
  text?: string;
}

/** A page of records, ordered by id. */
export interface Page {
  limit: number;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
}

export interface Found {
  items: ErpRecord[];
  next_cursor: string | null;
}

/** Who writes: each write carries the key of its attempt to the system, so that `readBack` finds it again. */
export interface Attempt {
  readonly key: string;
  readonly signal: AbortSignal;
  /** Epoch ms after which nothing is written. */
  readonly deadline_ms: number;
}

/** What became of a write whose answer is lost. `absent`: the system shows no trace of it. */
export type ReadBack = { kind: 'present'; record: ErpRecord } | { kind: 'absent' } | { kind: 'unknown'; why: string };

/**
 * The connector to one business system of one tenant. Each verb is one transaction of the system or says that it is not. Nothing may be
 * assumed about a write that throws, unless it throws a ToolError with `effect: 'none'`: its answer may be lost. A write that returns may
 * have had no effect either: read it back.
 */
export interface Hermes {
  find(kind: Kind, query: Query, page: Page): Promise<Found>;
  /** Undefined: the system has no such record. */
  read(kind: Kind, id: string): Promise<ErpRecord | undefined>;
  /** @throws ToolError VALIDATION_ERROR with the field in the words of the agent, before the system is asked to write */
  create(kind: Kind, values: Values, attempt: Attempt): Promise<ErpRecord>;
  /** Words of Hermes in `values`: `line` and `quantity` change one line of an order, `on_hand` of stock is what was counted. */
  update(kind: Kind, id: string, values: Values, attempt: Attempt): Promise<ErpRecord>;
  act(kind: Kind, id: string, action: Action, attempt: Attempt): Promise<ErpRecord>;
  /** Searches the system for the write of an attempt. Changes nothing. */
  readBack(kind: Kind, key: string): Promise<ReadBack>;
  /** Whether a write that is absent after `settle_ms` never happens: the system itself ends what runs longer. */
  readonly absence_is_final: boolean;
}
