import { z } from 'zod';
import { overridesAnswer, policyFinding } from './policies.schemas.js';

/** Body of `POST /v1/policies:check`. The draft may be anything: what is wrong with it is in the answer. */
export const checkRequest = z
  .strictObject({ bundle: z.record(z.string(), z.unknown()).describe('the draft, as for `POST /v1/policies`, without version') })
  .meta({ id: 'PolicyCheckRequest' });

const place = z.object({ offset: z.int().min(0), line: z.int().min(1), column: z.int().min(1) });

const error = z
  .object({
    path: z.string().describe('JSON Pointer in the draft; selectors and absent members in the form that is kept'),
    code: z.string(),
    rule: z.string().nullable().describe('id of the rule; null: the error is not in a rule'),
    reason: z.string(),
    position: place.nullable().describe('place in the text of a condition; null: the value as a whole'),
  })
  .meta({ id: 'PolicyError' });

/** What publishing would say to a draft. */
export const checkAnswer = z
  .object({
    ok: z.boolean().describe('true: it could be published now'),
    errors: z.array(error).describe('at most 50'),
    warnings: z.array(policyFinding),
    overrides: overridesAnswer,
    bundle: z.record(z.string(), z.unknown()).nullable().describe('the draft as it would be kept; null with errors'),
    bundle_digest: z.string().nullable().describe('SHA-256 of the rules, hex; as in the report of a simulation'),
    published_as: z.string().nullable().describe('a version with exactly these rules'),
  })
  .meta({ id: 'PolicyCheck' });

export type CheckRequest = z.infer<typeof checkRequest>;
export type PolicyCheck = z.infer<typeof checkAnswer>;
export type PolicyError = z.infer<typeof error>;
