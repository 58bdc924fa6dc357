import { z } from 'zod';

const ID_MAX = 200;
// A lone surrogate (Cs) cannot be encoded in UTF-8. Line separators are refused as control characters are.
const NAMEABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** The id of a new principal: 1 to 200 characters without control characters or line breaks. Ids on the log are read unchecked. */
export const principalId = z
  .string()
  .min(1)
  .max(ID_MAX)
  .regex(NAMEABLE, 'must not contain control characters, line separators or unpaired surrogates');

export const isPrincipalId = (id: unknown): id is string => principalId.safeParse(id).success;
