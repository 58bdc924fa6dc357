import { z } from 'zod';

const KEY_MAX = 255;

/** A caller's own key, in the header or in a batch. ASCII, as every other character would differ by the way it came: HTTP reads a header as Latin-1. */
export const idempotencyKey = z
  .string()
  .max(KEY_MAX)
  .regex(/^[!-~]([ -~]*[!-~])?$/, `an Idempotency-Key has 1 to ${KEY_MAX} printable ASCII characters and no space at either end`);
