import { subjectsRequest } from '@countersign/calls';
import { z } from 'zod';
import { notTooDeep } from '../requests/nesting.js';

const MESSAGES_MAX = 5000;

/** `PUT /v1/runs/{run_id}/transcript`: the prompt and messages of a model, in the format of its client. */
export const transcriptRequest = notTooDeep(
  z.strictObject({
    prompt: z.string().max(500_000).describe('the initial prompt'),
    messages: z
      .array(z.looseObject({ role: z.string().min(1).max(100) }))
      .max(MESSAGES_MAX)
      .describe('messages in order; each has a role and any further members of the client'),
    model: z.string().max(200).optional(),
    subjects: subjectsRequest,
  }),
);

export type TranscriptRequest = z.infer<typeof transcriptRequest>;
