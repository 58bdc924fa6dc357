import { z } from 'zod';

const ID_MAX = 200;
// Half a pair (Cs) could not be written down as it is; line separators end lines as control characters do.
const NAMEABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** The id of a new principal: 1 to 200 characters without invisible characters or line breaks. Ids on the log are read unchecked. */
export const principalId = z
  .string()
  .min(1)
  .max(ID_MAX)
  .regex(NAMEABLE, 'must not contain control characters, line separators or unpaired surrogates');

export const isPrincipalId = (id: unknown): id is string => principalId.safeParse(id).success;
