import { callRequest, externalId } from '@countersign/calls';
import { idempotencyKey } from '@countersign/calls/identity/idempotency-key';
import { z } from 'zod';

/** A request of a call on a producer's topic: the body of `POST /v1/calls`, with what a POST has in its headers. */
export const producedCall = callRequest
  .extend({
    event_type: z.literal('tool_call_requested'),
    idempotency_key: idempotencyKey.optional().describe('as the header Idempotency-Key'),
  })
  .meta({ id: 'ProducedCall' });

const named = ['call_id', 'request_id', 'external_id'] as const;

/** A cancel of a call on a producer's topic. */
export const producedCancel = z
  .strictObject({
    event_type: z.literal('tool_call_cancel_requested'),
    call_id: z.string().min(1).max(100).optional(),
    request_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('context.request_id of the request; without one: `<topic>/<partition>/<offset>` of its record'),
    external_id: externalId.optional(),
    reason: z.string().min(1).max(1000).optional(),
  })
  .refine(
    (cancel) => named.filter((name) => cancel[name] !== undefined).length === 1,
    'names the call by one of call_id, request_id and external_id',
  )
  .meta({ id: 'ProducedCancel' });

export const producedRecord = z.discriminatedUnion('event_type', [producedCall, producedCancel]);

export type ProducedCall = z.infer<typeof producedCall>;
export type ProducedCancel = z.infer<typeof producedCancel>;
export type ProducedRecord = z.infer<typeof producedRecord>;
