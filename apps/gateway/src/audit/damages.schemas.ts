import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const damage = z
  .object({
    kind: z.string().describe('log, checkpoints, rows or keys'),
    found_by: z.string().describe('start, fold, scrub, sample, proof, signer or drop'),
    topic: z.string().nullable().describe('topic of the damaged records, if known'),
    partition: z.int().nullable(),
    first_offset: z.int().nullable(),
    last_offset: z.int().nullable().describe('inclusive'),
    generation: z.int().describe('generation of the tree that covers these records: 1 until a decision opens another'),
    tenant_id: z.string().nullable().describe('tenant of the row or key; null: every tenant of the topic'),
    reason: z.string(),
    damage_id: z.string(),
    found_at: timeOf,
  })
  .meta({ id: 'Damage' });

export const damagePage = pageOfItems(damage).meta({ id: 'DamagePage' });

export type DamageAnswer = z.infer<typeof damage>;

/** Body of `POST /v1/damages/accept`. */
export const acceptDamageRequest = z.strictObject({
  damage_ids: z.array(z.uuid()).min(1).max(500).describe('ids from `GET /v1/damages`. Damage found later is not accepted'),
  reason: z.string().trim().min(1).max(2000).describe('the cause found and what was restored. It is recorded'),
});

export type AcceptDamageRequest = z.infer<typeof acceptDamageRequest>;

const openedTree = z
  .object({
    topic: z.string(),
    partition: z.int(),
    generation: z.int().describe('2 or more'),
    base_offset: z.int().describe('the offset of its first record'),
    frozen_size: z.int().describe('last signed size of the previous tree'),
    frozen_root: z.string().describe('base64'),
  })
  .meta({ id: 'OpenedTree' });

export const acceptedDamage = z
  .object({
    accepted: z.array(z.string()).describe('damage_ids'),
    may_open: z.array(openedTree).describe('trees that may continue as a new generation if the old tree cannot'),
  })
  .meta({ id: 'AcceptedDamage' });

export type AcceptedDamage = z.infer<typeof acceptedDamage>;
