import { z } from 'zod';

/** Next offsets of a list, by topic and partition. */
export type Positions = Record<string, Record<string, number>>;

const offset = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const shape = z.record(z.string().max(255), z.record(z.string().regex(/^\d{1,5}$/), offset));

export const cursorOf = (positions: Positions): string => Buffer.from(JSON.stringify(positions)).toString('base64url');

/** Undefined if the text is not a valid cursor. */
export function parsePositions(text: string): Positions | undefined {
  try {
    const parsed = shape.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
