import { z } from 'zod';

/** A body that may be left out, or be `null`: then it is one without members. */
export const optionalBody = <S extends z.ZodType>(schema: S) => z.preprocess((body) => body ?? {}, schema);
