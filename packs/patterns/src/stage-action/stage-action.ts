import { defineActionStaging } from '@countersign/tool-kit/patterns/action-staging';
import { decimalText } from '@countersign/tool-kit/patterns/decimal';
import { z } from 'zod';
import { stagedActions } from '../staged-records.js';

/** Stores an intent as a staged action: nothing happens in the target system until it is approved and committed. */
export const stageAction = defineActionStaging({
  name: 'stage_action',
  version: '1.1.1',
  title: 'Stage an action',
  description:
    'Writes down what shall be done in another system, without doing it. The same intent again answers the action that is there.',
  summary: 'Stage {/kind} in {/target_system} for {/target_ref}: {/payload/summary}',
  category: 'actions',
  capabilities: ['staging'],
  timeout_ms: 10_000,
  kinds: ['create_record', 'update_record', 'send_letter', 'transfer_money'],
  target_systems: ['erp', 'crm', 'mail', 'bank'],
  payload: z.strictObject({
    summary: z.string().min(1).max(500),
    amount: decimalText.optional(),
    currency: z.string().length(3).optional(),
    fields: z.record(z.string().max(100), z.union([z.string().max(5_000), z.number(), z.boolean(), z.null()])).default({}),
  }),
  actions: stagedActions,
});
