import { PRODUCER_ID } from '@countersign/contracts';
import { z } from 'zod';
import { principalAnswer, timeOf } from '../answers/shared-schemas.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { keyRequest } from '../identity/keys.schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const producerPrincipal = keyRequest.shape.principal.extend({
  kind: z.enum(['agent', 'service']).describe('a topic is no person'),
  roles: z.array(z.enum(SUBMITTERS)).min(1).max(SUBMITTERS.length).describe('the roles that submit calls'),
});

/** Body of `POST /v1/producers`. */
export const producerRequest = keyRequest
  .omit({ principal: true })
  .extend({
    producer_id: z
      .string()
      .regex(PRODUCER_ID, 'has 1 to 63 of a-z, 0-9 and -, and neither begins nor ends with -')
      .describe('names the topics; unique in the installation, and never given twice'),
    principal: producerPrincipal,
  })
  .meta({ id: 'NewProducer' });

export const producerAnswer = z
  .object({
    producer_id: z.string(),
    tenant_id: z.string(),
    name: z.string().nullable(),
    state: z.enum(['active', 'expired', 'revoked']),
    request_topic: z.string().describe('the producer writes here; without COUNTERSIGN_TOPIC_PREFIX'),
    answer_topic: z.string().describe('only the producer reads here; without COUNTERSIGN_TOPIC_PREFIX'),
    principal: principalAnswer,
    owner: z.string().nullable(),
    scopes: z.array(z.string()).describe('empty: any'),
    clearances: z.array(z.string()),
    purposes: z.array(z.string()).nullable().describe('null: any purpose'),
    created_by: principalAnswer,
    created_at: timeOf,
    expires_at: timeOf.nullable(),
    revoked_at: timeOf.nullable(),
  })
  .meta({ id: 'Producer' });

export const producerPage = pageOfItems(producerAnswer).meta({ id: 'ProducerPage' });

export type ProducerRequest = z.infer<typeof producerRequest>;
export type ProducerAnswer = z.infer<typeof producerAnswer>;
