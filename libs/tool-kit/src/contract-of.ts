import {
  type EffectClass,
  isReadOnly,
  type JsonSchema,
  type Reversibility,
  type SanitySeverity,
  type ToolContract,
  type ToolRecord,
} from '@countersign/contracts';
import { contractFaults } from './contract-faults.js';
import type { ToolTraits } from './tool.js';

const TIMEOUT_MS = 30_000;
const WINDOW_MS = 24 * 3_600_000;
const OUTPUT_BYTES_MAX = 2 * 1024 * 1024;

const reversibilityOf: Readonly<Record<EffectClass, Reversibility>> = {
  pure: 'reversible',
  read_internal: 'reversible',
  read_external: 'reversible',
  stage: 'reversible',
  commit_low: 'semantic',
  commit_high: 'irreversible',
};

/** The parts of a contract besides the traits: the two schemas, and which functions exist. */
export interface ContractParts {
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  has_reconcile: boolean;
  has_compensate: boolean;
  has_verify?: true;
  sanity?: { name: string; severity: SanitySeverity }[];
}

const checked = new WeakSet<ToolContract>();

/** The faults of a contract that may have been written by hand; empty for one made by `contractOf`, which has already checked it. */
export function faultsOfForeign(contract: ToolContract): string[] {
  return checked.has(contract) ? [] : contractFaults(contract, contract as ToolTraits & ToolContract);
}

/**
 * The contract of a tool, with defaults (timeout 30 s, settle 2 × timeout, output 2 MB, window 24 h, reversibility by effect class).
 * @param running Schema of the inputs that run, if a mapping precedes the tool: its resources refer to these inputs.
 * @throws TypeError with all faults at once: a tool with an invalid contract does not load.
 */
export function contractOf(traits: ToolTraits, parts: ContractParts, running: JsonSchema = parts.input_schema): ToolContract {
  const timeout_ms = traits.timeout_ms ?? TIMEOUT_MS;
  const contract: ToolContract = {
    name: traits.name,
    version: traits.version,
    title: traits.title,
    description: traits.description,
    category: traits.category,
    ...parts,
    effect_class: traits.effect_class,
    reversibility: traits.reversibility ?? reversibilityOf[traits.effect_class],
    idempotency: idempotencyOf(traits),
    ...(traits.resources === undefined ? {} : { resources: traits.resources }),
    takes_key: traits.takes_key ?? false,
    timeout_ms,
    settle_ms: traits.settle_ms ?? 2 * timeout_ms,
    settle_is_final: traits.settle_is_final ?? false,
    max_output_bytes: traits.max_output_bytes ?? OUTPUT_BYTES_MAX,
    ...(traits.undo_within_ms === undefined ? {} : { undo_within_ms: traits.undo_within_ms }),
    ...(traits.tier === undefined ? {} : { tier: traits.tier }),
    markings: traits.markings ?? [],
    scopes: traits.scopes ?? [],
    ...declaredRecord(traits),
  };
  const faults = contractFaults(contract, traits, running);
  if (faults.length === 0) checked.add(contract);
  else throw new TypeError(`tool ${JSON.stringify(traits.name)}: ${faults.join('; ')}`);
  return contract;
}

const recordFields = [
  'summary',
  'pattern',
  'capabilities',
  'purposes',
  'sla',
  'accuracy',
  'cache',
  'cost_per_call',
  'network',
  'auth_requirements',
  'provider',
  'protocol',
  'endpoint',
  'audit_status',
  'ontology_pin',
  'compatibility',
] as const satisfies (keyof ToolRecord & keyof ToolTraits)[];

/** Only declared fields: an undeclared field is neither in the contract nor in its digest. */
function declaredRecord(traits: ToolTraits): ToolRecord {
  return Object.fromEntries(recordFields.filter((field) => traits[field] !== undefined).map((field) => [field, traits[field]]));
}

function idempotencyOf(traits: ToolTraits): ToolContract['idempotency'] {
  const declared = traits.idempotency;
  if (declared === undefined) return !(traits.effect_class in reversibilityOf) || isReadOnly(traits.effect_class) ? { except: [] } : {};
  return { ...declared, window_ms: declared.window_ms ?? WINDOW_MS };
}
