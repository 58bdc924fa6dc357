import { z } from 'zod';

/** A point in time, ISO 8601 in UTC. */
export const timeOf = z.iso.datetime().describe('ISO 8601, UTC');

/** Who did something. */
export const principalName = z.object({ kind: z.enum(['agent', 'user', 'service']), id: z.string() }).meta({ id: 'PrincipalName' });

/** Log position of a change and which running instances have it; null if unknown. */
export const everywhere = {
  config_offset: z.int().min(0).describe('the offset of the change in the configuration'),
  instances: z
    .array(z.object({ instance_id: z.string(), service: z.string(), has_it: z.boolean() }))
    .nullable()
    .describe('the running instances, and whether each has applied the change; null: unknown'),
};

/** The principal that acted. */
export const principalAnswer = z
  .object({ kind: z.enum(['agent', 'user', 'service']), id: z.string(), roles: z.array(z.string()) })
  .meta({ id: 'Principal' });

/** Converts epoch ms to ISO 8601; null stays null. */
export const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A body that may be absent or `null`: both count as an empty object. */
export const optionalBody = <S extends z.ZodType>(schema: S) => z.preprocess((body) => body ?? {}, schema);
