import { reasonsOf } from '@countersign/calls';
import { errorCodes } from '@countersign/contracts';
import { z } from 'zod';
import { problemKinds } from '../http/problem.js';

const issue = z
  .object({
    path: z.string().describe('JSON Pointer'),
    code: z.string(),
    message: z.string(),
    rule: z.string().nullable().optional().describe('of a policy bundle'),
    reason: z.string().optional().describe('the message without the name of the rule'),
    position: z.object({ offset: z.int(), line: z.int(), column: z.int() }).optional().describe('place in the text of a condition'),
    step: z.string().nullable().optional().describe('of a saga definition'),
  })
  .meta({ id: 'Issue' });

/** The body of a refused request (RFC 9457); docs/reference/errors.md lists the reasons. */
export const problemSchema = z
  .looseObject({
    type: z.enum(problemKinds.map((kind) => `urn:countersign:problem:${kind}`)),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().describe('the path of the request'),
    request_id: z.string().optional().describe('as in the header `Countersign-Request-Id` and in the log of the gateway'),
    code: z.enum(errorCodes).describe('one of the closed list of error codes'),
    reason: z.enum(problemKinds.flatMap(reasonsOf)).describe('the cause'),
    class: z.string(),
    retryable: z.boolean(),
    retry_after_s: z.int().optional(),
    validation: z
      .object({ layer: z.string(), issues: z.array(issue) })
      .optional()
      .describe('the invalid fields'),
  })
  .meta({ id: 'Problem' });
