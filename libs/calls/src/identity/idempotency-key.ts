import { z } from 'zod';

const KEY_MAX = 255;

/**
 * A caller's own key, in the header or in a batch. ASCII only: HTTP reads headers as Latin-1, so another character would differ by
 * transport.
 */
export const idempotencyKey = z
  .string()
  .max(KEY_MAX)
  .regex(/^[!-~]([ -~]*[!-~])?$/, `an Idempotency-Key has 1 to ${KEY_MAX} printable ASCII characters and no space at either end`);
