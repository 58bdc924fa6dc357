import type { ResourceTemplate } from '@countersign/tool-kit';
import { z } from 'zod';

/** The inputs of every probe that has an effect: a payment that is only counted. A grant covers smaller amounts to the same account. */
export const payment = z.strictObject({
  account: z.string().min(1).max(64),
  amount: z.int().positive().max(1_000_000_000).meta({ 'x-grant': 'amount' }),
  note: z.string().max(500),
});

/**
 * The resource of a payment: the payment itself, so that payments do not wait for each other and none invalidates the result of another.
 */
export const paymentResources: ResourceTemplate[] = [{ name: 'payment:{/account}/{/amount}/{/note}', effect: 'adds' }];

/** When the caller wrote it: not discriminating, so that a retry with another time is the same effect, and a grant covers any time. */
export const draftedAt = z.string().max(40).meta({ 'x-grant': 'free' }).optional();
