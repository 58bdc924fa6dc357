import { z } from 'zod';

const ID_MAX = 200;
// A lone surrogate cannot be encoded in UTF-8. Line separators are refused as control characters are. Ranges instead of properties: the
// expression is in the OpenAPI document, and not every reader of it knows properties.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const NAMEABLE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]+$/u;

/** The id of a new principal: 1 to 200 characters without control characters or line breaks. Ids on the log are read unchecked. */
export const principalId = z
  .string()
  .min(1)
  .max(ID_MAX)
  .regex(NAMEABLE, 'must not contain control characters, line separators or unpaired surrogates');

export const isPrincipalId = (id: unknown): id is string => principalId.safeParse(id).success;
