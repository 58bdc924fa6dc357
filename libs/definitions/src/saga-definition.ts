import { type Block, parseSemver } from '@countersign/domain';
import { z } from 'zod';

const CEL_MAX = 4096;
const JSONATA_MAX = 4000;
const COST_MAX = 1e9;
const LONGEST_MS = 366 * 86_400_000;

/** Name of a step, wait, branch or map; the check of the definition says which characters it may have. */
const blockName = z.string().max(64);
const duration = z.int().min(1).max(LONGEST_MS);
const share = z.number().min(0).max(1);
const condition = z.string().min(1).max(CEL_MAX).describe('CEL over `inputs`, `steps.<name>.output` and, inside a map, `item` and `index`');

/** Exact semver without build metadata: versions that differ in that alone would count as equal. */
export const isDefinitionVersion = (text: string): boolean => text.length <= 64 && !text.includes('+') && parseSemver(text) !== undefined;
export const DEFINITION_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

const binding = z
  .strictObject({
    from: z.string().min(1).max(500).optional().describe('JSON Pointer: /inputs, /steps/<name>/output, or inside a map /item or /index'),
    literal: z.unknown().optional(),
    expression: z.string().min(1).max(JSONATA_MAX).optional().describe('JSONata; its type is checked only when it runs'),
  })
  .refine((given) => Object.keys(given).length === 1, 'has exactly one of from, literal and expression')
  .meta({ id: 'SagaBinding' });

const use = z
  .strictObject({
    tool: z.string().min(1).max(64),
    version: z.string().min(1).max(64).describe('`1.2.3`, `^1.2.3` or `~1.2.3`'),
    inputs: z.record(z.string().max(200), binding),
    p99_ms: duration.optional().describe("99 % of its calls end in this time; default: the p99 of the tool's contract"),
    cost: z.number().min(0).max(COST_MAX).optional().describe('price of a call, in a unit of your own'),
    accuracy: share.optional().describe('share of its answers that are right; lowers the confidence of an answer'),
    availability: share.optional().describe('share of its calls that end with an answer'),
  })
  .meta({ id: 'SagaToolUse' });

const join = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('all') }),
      z.strictObject({ kind: z.literal('quorum'), count: z.int().min(1).max(1000) }),
      z.strictObject({ kind: z.literal('first_success') }),
    ],
    { error: 'is all, quorum or first_success' },
  )
  .meta({ id: 'SagaJoin' });

const step = z
  .strictObject({
    kind: z.literal('step'),
    name: blockName,
    use,
    fallbacks: z.array(use).max(8).optional().describe('tried in this order after a failure without an effect'),
    manual: z.string().min(1).max(1000).optional().describe('the last level: what a person must do'),
    when: condition.optional(),
    compensation: use.optional().describe("replaces the tool's own compensation"),
    asks: z.boolean().optional().describe('a person approves it first; an irreversible step that is not last must ask'),
    repair: z.boolean().optional().describe('a read that fails validation or answers empty is called again with repaired inputs'),
  })
  .meta({ id: 'SagaStepBlock' });

const wait = z
  .strictObject({
    kind: z.literal('wait'),
    name: blockName,
    wait: z.enum(['approval', 'event', 'time']),
    subject: z.string().min(1).max(1000).optional().describe('of an approval: the question; of an event: its name'),
    timeout_ms: duration,
    on_timeout: z.enum(['fail', 'continue']),
    answer_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema 2020-12 of the answer of an approval or event: later steps read it at /steps/<name>/output'),
  })
  .meta({ id: 'SagaWaitBlock' });

const sequence = z
  .strictObject({
    kind: z.literal('sequence'),
    get blocks(): z.ZodType<readonly Block[]> {
      return z.array(sagaBlock).max(1000);
    },
  })
  .meta({ id: 'SagaSequenceBlock' });

const choice = z
  .strictObject({
    when: condition,
    get block(): z.ZodType<Block> {
      return sagaBlock;
    },
  })
  .meta({ id: 'SagaChoice' });

const branch = z
  .strictObject({
    kind: z.literal('branch'),
    name: blockName,
    choices: z.array(choice).max(100),
    get otherwise(): z.ZodOptional<z.ZodType<Block>> {
      return sagaBlock.optional();
    },
  })
  .meta({ id: 'SagaBranchBlock' });

const parallel = z
  .strictObject({
    kind: z.literal('parallel'),
    join,
    get branches(): z.ZodType<readonly Block[]> {
      return z.array(sagaBlock).max(1000);
    },
  })
  .meta({ id: 'SagaParallelBlock' });

const map = z
  .strictObject({
    kind: z.literal('map'),
    name: blockName,
    over: binding.describe('the list'),
    concurrency: z.int().min(1).max(1000).describe('items that run at once'),
    join,
    get body(): z.ZodType<Block> {
      return sagaBlock;
    },
  })
  .meta({ id: 'SagaMapBlock' });

const sagaBlock = z
  .discriminatedUnion('kind', [step, sequence, branch, parallel, map, wait], {
    error: 'is step, sequence, branch, parallel, map or wait',
  })
  .meta({ id: 'SagaBlock' }) as unknown as z.ZodType<Block>;

/** A saga definition as it is published; docs/how-to/saga-definitions.md explains it. */
export const sagaDefinition = z
  .strictObject({
    name: z.string().regex(DEFINITION_NAME, 'at most 64 of a to z, 0 to 9, _ and -, a letter first'),
    version: z.string().refine(isDefinitionVersion, 'is no exact semantic version such as 1.0.0'),
    input_schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema 2020-12 of the inputs of the saga'),
    deadline_ms: duration.optional().describe('the clock stands still while a person decides'),
    wait_max_ms: duration.describe('the longest that one wait for a person stops the clock'),
    root: sagaBlock,
  })
  .meta({ id: 'SagaDefinition' });

export type SagaDefinitionRequest = z.infer<typeof sagaDefinition>;
