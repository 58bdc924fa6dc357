import { parseCallId } from '@countersign/contracts';
import { z } from 'zod';
import { idempotencyKey } from '../identity/idempotency-key.js';
import { CASE_ID_MAX, externalId, metadata } from './own-reference.js';
import { runBudget } from './run-budget.js';

const text = (max: number) => z.string().min(1).max(max);
const callIds = z.array(text(100).refine((id) => parseCallId(id) !== undefined, 'is not the id of a call')).max(50);

/** What the agent states about a call. */
export const callContext = z.strictObject({
  agent: text(200).optional(),
  run_id: text(200).optional(),
  step_id: text(200).optional(),
  request_id: text(200)
    .optional()
    .describe(
      'a new value for each request; keep it when you send the request again: the same request (tool, inputs, case, run, occurrence, ' +
        'Idempotency-Key) of the same principal under the same id is the same call. It never changes the idempotency key. run_id and seq take precedence',
    ),
  seq: z.int().min(0).optional(),
  iteration: z.int().min(0).optional(),
  rationale: text(4000).optional(),
  skill: text(200).optional(),
  step: text(200).optional(),
  rule: text(200).optional(),
  purpose: text(400).optional(),
  safety_mode: z.enum(['normal', 'read_only', 'ask_all']).optional(),
  run_budget: runBudget.optional(),
  depends_on: callIds
    .optional()
    .describe(
      'calls that must succeed first; the call waits for them, also for ids that are not known yet, for ten minutes or until its deadline',
    ),
});

/** Answers have two names each for the tool and its inputs; requests accept one. */
const renamed: z.core.$ZodErrorMap = (issue) => {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return keys.includes('name') || keys.includes('input') ? 'there is no such field in a request: use `tool` and `inputs`' : undefined;
};

export const callRequest = z.strictObject(
  {
    tool: text(128).describe('name of the tool'),
    version: text(64).optional().describe('`1.2.3`, `^1.2.0` or `~1.2.0`; absent: the newest active version'),
    inputs: z.record(z.string(), z.unknown()).default({}),
    case_id: text(CASE_ID_MAX).optional().describe('an id of a case, or `ext:` and its external_id'),
    external_id: externalId
      .optional()
      .describe(
        'your own reference of this request, unique in the tenant: the same request sent again is the same call, another one is 409 external_id_taken',
      ),
    metadata: metadata.optional(),
    occurrence: text(200).optional().describe('any text; a new value runs an equal call again'),
    context: callContext.optional(),
    deadline: z.iso.datetime({ offset: true }).optional().describe('RFC 3339; the tool does not start after it'),
    callback_url: text(2000)
      .optional()
      .describe(
        'receives the envelope when the call ends or is in doubt, at least once: repeats carry the same webhook-id. Up to six attempts in 13 minutes; ' +
          'a restart begins the attempts again, also for callbacks without a known answer. Embedded only: after a crash of the machine, callbacks of ' +
          'calls that had ended are lost: read GET /v1/calls/{call_id}',
      ),
    on_behalf_of: text(200).optional().describe('the user that this agent acts for, by a standing delegation (POST /v1/delegations)'),
    user_token: text(16_384).optional().describe('an OpenID token of the user that this agent acts for; sealed, never recorded'),
    sources: z.array(text(100)).max(50).optional().describe('calls whose results the inputs use: this call inherits their markings'),
  },
  { error: renamed },
);

export type CallRequest = z.infer<typeof callRequest>;

/** Body of `POST /v1/calls:batch`. `depends_on` lists other calls of the batch by index. */
export const batchRequest = z.strictObject({
  calls: z
    .array(
      callRequest.extend({
        depends_on: z.array(z.int().min(0)).max(50).optional(),
        idempotency_key: idempotencyKey.optional().describe('as the header, for this call'),
      }),
    )
    .min(1)
    .max(100),
});

export type BatchRequest = z.infer<typeof batchRequest>;
