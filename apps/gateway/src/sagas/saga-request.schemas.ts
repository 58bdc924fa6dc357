import { CASE_ID_MAX, subjectsRequest } from '@countersign/calls';
import { DEFINITION_NAME, definitionIssues, sagaDefinition } from '@countersign/definitions';
import { z } from 'zod';
import { optionalBody } from '../answers/shared-schemas.js';
import { refusedBy } from '../http/validation.pipe.js';
import { issuesProblem } from '../requests/body-issues.js';
import { refusedDefinition } from '../saga-definitions/refused-definition.js';
import { shortDefinition } from './short-definition.js';

/** Ids that begin with `saga_` or `undo_` are made by the gateway. */
const SAGA_ID = /^(?!saga_|undo_)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const text = (max: number) => z.string().min(1).max(max);
const name = z.string().regex(DEFINITION_NAME, 'at most 64 of a to z, 0 to 9, _ and -, a letter first');

const publishedDefinition = z
  .strictObject({
    name,
    version: text(64).optional().describe('`1.2.3`, `^1.2.0` or `~1.2.0`; absent: the newest version. The saga records the exact one'),
  })
  .meta({ id: 'SagaDefinitionReference' });

const body = z.strictObject({
  definition: z.union([publishedDefinition, sagaDefinition, shortDefinition]).describe('a published definition, or a whole one'),
  inputs: z.record(z.string(), z.unknown()).default({}).describe('checked against the `input_schema` of the definition'),
  saga_id: z
    .string()
    .regex(SAGA_ID, 'at most 100 of A to Z, a to z, 0 to 9, dot, _ and -, a letter or digit first, and not `saga_` or `undo_` first')
    .optional()
    .describe('your own id: the same request sent again is the same saga, another one is 409 saga_id_taken'),
  case_id: text(CASE_ID_MAX).optional().describe('an id of a case, or `ext:` and its external_id'),
  deadline: z.iso.datetime({ offset: true }).optional().describe('RFC 3339; the clock stands still while a person decides'),
  on_behalf_of: text(200).optional().describe('the user that this agent acts for, by a standing delegation (POST /v1/delegations)'),
  user_token: text(16_384).optional().describe('an OpenID token of the user that this agent acts for; never recorded'),
  subjects: subjectsRequest,
});

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Reports the faults of the form of definition that the request uses; a whole definition as the routes of definitions do. */
export const sagaRequest = refusedBy(body, (issues, value) => {
  const others = issues.filter(({ path }) => path[0] !== 'definition');
  const definition = isObject(value) ? value.definition : undefined;
  if (others.length > 0 || !isObject(definition)) return issuesProblem(others.length > 0 ? others : issues);
  const form = 'root' in definition ? sagaDefinition : 'steps' in definition ? shortDefinition : publishedDefinition;
  const found = form.safeParse(definition).error?.issues ?? [];
  return form === publishedDefinition ? issuesProblem(found, ['definition']) : refusedDefinition(definitionIssues(found, definition));
});

/** Control characters are in no name of a step, and the store takes no NUL: a record with one would be set aside without an answer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const step_id = text(200).regex(/^[^\u0000-\u001f\u007f]+$/, 'has control characters, as no step does');
const reason = text(1000);

export const sagaControl = optionalBody(
  z.strictObject({
    step_id: step_id.optional().describe('the step of a ticket, such as `ship` or `ship[2]`; absent: the whole saga'),
    reason: reason.optional(),
    subjects: subjectsRequest,
  }),
);

/** Accepts what a ticket reports, or records what a person did about it: the reason is what remains of the decision. */
export const sagaDecision = z.strictObject({ step_id: step_id.optional(), reason, subjects: subjectsRequest });

export const waitAnswer = z
  .strictObject({
    outcome: z.enum(['answered', 'refused']),
    answer: z.unknown().optional().describe('at most 64 KiB of JSON: the output of the wait or manual step, which later steps may read'),
    reason: reason.optional(),
    subjects: subjectsRequest,
  })
  .refine(({ outcome, answer }) => outcome === 'answered' || answer === undefined, {
    path: ['answer'],
    message: 'a refused wait has no answer: give the reason',
  });

export const waitStepId = step_id;

export type SagaRequest = z.infer<typeof body>;
export type SagaControl = z.infer<typeof sagaControl>;
export type SagaDecision = z.infer<typeof sagaDecision>;
export type WaitAnswer = z.infer<typeof waitAnswer>;
