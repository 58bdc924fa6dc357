import { z } from 'zod';

/** The inputs of every probe that has an effect: a payment that is only counted. */
export const payment = z.strictObject({
  account: z.string().min(1).max(64),
  amount: z.int().positive().max(1_000_000_000),
  note: z.string().max(500),
});

/** When the caller wrote it: does not discriminate, so a retry with another time is the same effect. */
export const draftedAt = z.string().max(40).optional();
