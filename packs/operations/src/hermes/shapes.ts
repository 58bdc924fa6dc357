import { z } from 'zod';

/** Shapes that all tools share: the vocabulary of the agent, the same for every customer. */
export const erpId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
  .describe('Id of a record, for example sup_alpha.');
/** Two digits always: 12.5 and 12.50 would be two effects. */
export const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,9})\.\d{2}$/)
  .describe('Decimal as text with two digits after the point, for example "12.50".');
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217 code, for example EUR.');
export const quantity = z.int().min(1).max(1_000_000);
export const day = z.iso.date().describe('ISO date, for example 2026-05-01.');
export const line_no = z.int().min(1).max(50).describe('Number of the line, from 1.');
export const short = (length_max: number) => z.string().min(1).max(length_max);

const CUSTOM_NAME = /^[a-z][a-z0-9_]{0,39}$/;
/** Fields that only this customer has. A mapping gives each its place in the customer's system: one rule, and no code. */
export const custom_fields = z.record(z.string().regex(CUSTOM_NAME), z.string().max(200)).meta({ maxProperties: 20 }).optional();

export const line = z.strictObject({ product: erpId, quantity, unit_price: amount });
export const lines = z.array(line).min(1).max(50);

/** Pages of lists. */
export const page = { limit: z.int().min(1).max(100).default(50), cursor: z.string().min(1).max(200).optional() };
export const listOf = <S extends z.ZodType>(item: S) =>
  z.strictObject({ items: z.array(item).max(100), next_cursor: z.string().nullable() });

/** Inputs behind a mapping of the tenant: anything, with the names that summaries, resources and tools read if they are there. */
export const native = (...names: string[]) => z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])));
