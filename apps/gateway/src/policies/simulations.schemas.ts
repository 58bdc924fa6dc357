import { CASE_ID_MAX } from '@countersign/calls';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { refusedBy } from '../http/validation.pipe.js';
import { bundleRefusal, draftBundle } from './bundle-request.js';

const CALLS_MAX = 20_000;
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Body of `POST /v1/policies:simulate`: a draft or a published version, and a selection of recorded calls. */
export const simulateRequest = refusedBy(
  z
    .strictObject({
      bundle: draftBundle.optional(),
      version: z.string().max(64).optional(),
      call_ids: z.array(z.string().max(100)).min(1).max(1000).optional(),
      case_id: z.string().max(CASE_ID_MAX).optional(),
      from: time.optional(),
      to: time.optional(),
      limit: z.int().min(1).max(CALLS_MAX).default(5000).describe('newest calls first'),
    })
    .refine(({ bundle, version }) => (bundle === undefined) !== (version === undefined), 'send exactly one of bundle and version')
    .meta({ id: 'SimulationRequest' }),
  bundleRefusal,
);

const effect = z.enum(['allow', 'deny', 'require_approval', 'defer']);
const count = z.int().min(0);

const difference = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    case_id: z.string().nullable(),
    difference: z.enum(['newly_denied', 'newly_allowed', 'approval_added', 'approval_avoided', 'newly_deferred']),
    before: z.object({ effect, rule: z.string(), bundle_version: z.string() }).describe('the recorded decision'),
    after: z.object({ effect, rule: z.string(), why: z.string().nullable() }).describe('the decision of the draft'),
  })
  .meta({ id: 'SimulatedDifference' });

/** Report of a simulation. */
export const simulationAnswer = z
  .object({
    made_at: timeOf,
    config_offset: z.int(),
    active: z.string().nullable().describe('the policy that was active at the time; null: none'),
    bundle_digest: z.string(),
    calls: count.describe('number of recorded calls that were evaluated'),
    unchanged: count,
    left_out: count.describe('number of calls without their own decision, or whose tool no longer exists'),
    erased: count.describe('number of calls left out because their data was erased'),
    counts: z.object({
      newly_denied: count,
      newly_allowed: count,
      approval_added: count,
      approval_avoided: count,
      newly_deferred: count,
    }),
    differences: z.array(difference),
    truncated: z.boolean().describe('true: more differences exist than are listed'),
    simulation: z.object({ digest: z.string(), proof: z.string() }).describe('send this with POST /v1/policies'),
  })
  .meta({ id: 'Simulation' });

export type SimulateRequest = z.infer<typeof simulateRequest>;
