import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { circuitState } from '../circuits/circuits.schemas.js';

const text = z.string().nullable();
const time = timeOf.nullable();
const names = z.array(z.string());
const jsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12');
const effect = z.enum(['replaces', 'adds']);

const resource = z.object({
  name: z.string().describe('a template over the inputs that the tool receives: `file:{/path}`'),
  effect: z.union([effect, z.object({ by: z.string(), values: z.record(z.string(), effect), otherwise: effect })]),
});

/** The contract of a tool as registered. */
const contract = {
  name: z.string(),
  version: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  input_schema: jsonSchema,
  output_schema: jsonSchema,
  effect_class: z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']),
  reversibility: z.enum(['reversible', 'semantic', 'side_effects', 'irreversible']),
  idempotency: z.object({ discriminating: names.optional(), except: names.optional(), window_ms: z.number().optional() }),
  resources: z.array(resource),
  takes_key: z.boolean(),
  has_reconcile: z.boolean(),
  has_compensate: z.boolean(),
  has_verify: z.boolean().optional(),
  undo_within_ms: z.number().optional().describe('how long after its end an effect can be undone; absent: without a limit'),
  timeout_ms: z.number(),
  settle_ms: z.number(),
  settle_is_final: z.boolean(),
  max_output_bytes: z.number(),
  tier: z.string().optional().describe('a tier stricter than the default of the effect class'),
  markings: names,
  scopes: names,
  summary: z.string().optional().describe('what a call does, in one sentence with placeholders for inputs; absent: not declared'),
  pattern: text,
  capabilities: names,
  purposes: names,
  sla: z.object({ p50_ms: z.number(), p95_ms: z.number(), p99_ms: z.number(), availability: z.number() }).nullable(),
  accuracy: z.number().nullable(),
  cache: z.object({ kind: z.enum(['none', 'ttl', 'forever']), ttl_ms: z.number().optional() }),
  cost_per_call: z.number().nullable().describe('US dollars'),
  sanity: z.array(z.object({ name: z.string(), severity: z.enum(['warn', 'block']) })).optional(),
  network: names.optional(),
  auth_requirements: names,
  provider: text,
  protocol: z.enum(['in_process', 'http', 'mcp', 'sandbox']),
  endpoint: text,
  upstream: z
    .object({
      server: z.string().describe('the upstream'),
      tool: z.string().describe('the exact name there'),
      flags: z.array(z.string()).describe('patterns of injection that were found in its texts'),
      has_key: z.boolean().describe('the upstream gets the key of the attempt'),
      alias: z
        .object({ name: z.string(), ttl_ms: z.int() })
        .nullable()
        .describe('its second name: a cached result that is no older than `ttl_ms` may answer calls by it'),
    })
    .nullable()
    .describe('null: it is of no upstream'),
  audit_status: z.int(),
  ontology_pin: text,
  compatibility: names,
};

const evaluation = z.object({
  tool: z.string(),
  version: z.string(),
  contract_digest: z.string(),
  passed: z.int(),
  failed: z.int(),
  cases: z.array(z.unknown()),
  verified_at: z.string(),
  of_this_contract: z.boolean(),
});

const release = z.object({
  gate: z.enum(['none', 'passed', 'failed', 'absent']).describe('state of the evaluation that is required to run it'),
  gate_reason: text,
  drift: z.string().describe('`ok`, or how the contract differs from the accepted one'),
  deprecation: z.object({ deprecated_at: time, since: time.describe('the same as `deprecated_at`'), reason: text }).nullable(),
  sunset_at: time,
  use_instead: text,
});

const audit = z.object({
  audit_status: z.enum(['unaudited', 'self_assessed', 'third_party']),
  auditor: text,
  report: text,
  changed_at: time,
});

/** The record of a version of a tool, as its tenant sees it. Undeclared or unmeasured values are null. */
export const toolVersionRecord = z
  .object({
    ...contract,
    id: z.string(),
    lifecycle: z.enum(['active', 'deprecated', 'blocked', 'candidate', 'suspended']),
    digest: z.string(),
    pin: z.string().describe('digest of the parts of the contract that callers rely on'),
    side_effects: z.enum(['none', 'reads', 'writes']),
    approval_mode: z.enum(['read_only', 'network', 'local_write', 'delegated', 'destructive']),
    default_tier: z.string(),
    mcp: z.object({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    }),
    audit: audit.nullable(),
    signature: z.object({ input: jsonSchema, output: jsonSchema }),
    eval_pack: z.object({ id: z.string(), result: evaluation.nullable() }),
    release,
    last_verified_at: time,
    last_verified: time.describe('the same as `last_verified_at`'),
    runs_on: z.object({ environment: z.string(), adapter: z.string(), adapter_version: z.string(), protocol_version: text }),
    executor_id: z.string(),
    registered_at: time,
    rating: z.object({ mean: z.number(), count: z.int(), normalised: z.number().describe('0 to 1') }).nullable(),
    trust_score: z.number().nullable(),
    usage: z.object({ runs: z.int(), succeeded: z.int(), callers: z.int() }).nullable(),
    circuit: circuitState,
  })
  .meta({ id: 'ToolVersion' });
