import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const damage = z
  .object({
    kind: z.string().describe('log, checkpoints, rows or keys'),
    found_by: z.string().describe('start, fold, scrub, sample, proof, signer or drop'),
    topic: z.string().nullable().describe('where on the log, as far as it is known'),
    partition: z.int().nullable(),
    first_offset: z.int().nullable(),
    last_offset: z.int().nullable().describe('included'),
    generation: z.int().describe('of the tree that covers these records: 1 until a decision opens another'),
    tenant_id: z.string().nullable().describe('the tenant of a row or a key; null: whoever the topic concerns'),
    reason: z.string(),
    damage_id: z.string(),
    found_at: timeOf,
  })
  .meta({ id: 'Damage' });

export const damagePage = pageOfItems(damage).meta({ id: 'DamagePage' });

export type DamageAnswer = z.infer<typeof damage>;

/** Body of `POST /v1/damages/accept`. */
export const acceptDamageRequest = z.strictObject({
  damage_ids: z.array(z.uuid()).min(1).max(500).describe('as `GET /v1/damages` lists them: what came meanwhile is not accepted'),
  reason: z.string().trim().min(1).max(2000).describe('what was found out and what was restored; it stays on the record'),
});

export type AcceptDamageRequest = z.infer<typeof acceptDamageRequest>;

const openedTree = z
  .object({
    topic: z.string(),
    partition: z.int(),
    generation: z.int().describe('2 or more'),
    base_offset: z.int().describe('the offset of its first record'),
    frozen_size: z.int().describe('of the tree before it, as it was signed last'),
    frozen_root: z.string().describe('base64'),
  })
  .meta({ id: 'OpenedTree' });

export const acceptedDamage = z
  .object({
    accepted: z.array(z.string()).describe('damage_ids'),
    may_open: z.array(openedTree).describe('trees that may go on as another generation, where they cannot be continued'),
  })
  .meta({ id: 'AcceptedDamage' });

export type AcceptedDamage = z.infer<typeof acceptedDamage>;
