import { z } from 'zod';

/** Headers that a caller may set. None carries credentials: those are secrets, and inputs are recorded. */
const ALLOWED = new Set([
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'prefer',
  'x-request-id',
]);

export const requestHeaders = z
  .record(
    z.string().max(64),
    z
      .string()
      .max(2000)
      .regex(/^[\t\x20-\x7e]*$/, 'printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).every((name) => ALLOWED.has(name.toLowerCase())), `one of ${[...ALLOWED].join(', ')}`)
  .default({})
  .describe(`one of ${[...ALLOWED].join(', ')}`);

/** The sent headers: lower case, no compression (a small body must not become a large one). */
export function sentHeaders(given: Record<string, string>, more: Record<string, string> = {}): Record<string, string> {
  const lower = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return { accept: '*/*', ...lower, 'accept-encoding': 'identity', 'user-agent': 'countersign', ...more };
}
