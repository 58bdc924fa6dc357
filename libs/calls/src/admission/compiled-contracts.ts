import { type JsonSchema, schemaFaults } from '@countersign/contracts';
import type { ToolVersion } from '@countersign/domain';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { type Issue, pointer } from '../refusal.js';

const ISSUES_MAX = 50;
const CONTRACTS_MAX = 5_000;
const DEPTH_MAX = 64;

/** Checks inputs and fills in the defaults of the schema, in place. */
export type InputCheck = (inputs: Record<string, unknown>) => Issue[];

/** Unknown fields are refused at the top level, unless the schema itself sets `additionalProperties` or the like. */
function closed(schema: JsonSchema): JsonSchema {
  const { $id: _id, $schema: _dialect, ...rest } = schema;
  const speaks = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', 'if'];
  return speaks.some((keyword) => keyword in rest) ? rest : { ...rest, additionalProperties: false };
}

function toIssue(error: ErrorObject): Issue {
  const params = error.params as { additionalProperty?: string; unevaluatedProperty?: string; missingProperty?: string };
  const unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (unknown !== undefined)
    return { path: error.instancePath + pointer([unknown]), code: 'unknown_field', message: 'there is no such field' };
  if (params.missingProperty !== undefined)
    return { path: error.instancePath + pointer([params.missingProperty]), code: 'required', message: 'is required' };
  return { path: error.instancePath, code: error.keyword, message: error.message ?? 'is not valid' };
}

/** Returns at most `ISSUES_MAX` issues. If there are more, the last one says how many. */
function issuesOf(errors: readonly ErrorObject[]): Issue[] {
  if (errors.length <= ISSUES_MAX) return errors.map(toIssue);
  const shown = ISSUES_MAX - 1;
  const message = `${errors.length - shown} more faults are not shown`;
  return [...errors.slice(0, shown).map(toIssue), { path: '', code: 'more', message }];
}

/** True if a value is nested deeper than the limit. Recursive algorithms process it afterwards. */
export function isTooDeep(value: unknown, left = DEPTH_MAX): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (left === 0) return true;
  for (const item of Array.isArray(value) ? value : Object.values(value)) if (isTooDeep(item, left - 1)) return true;
  return false;
}

/** Input schemas (JSON Schema 2020-12) compiled once per contract digest. */
export class CompiledContracts {
  private readonly checks = new LRUCache<string, InputCheck>({ max: CONTRACTS_MAX });
  /** Checks schemas themselves. Compiling the schema of schemas takes 40 ms: once, before there are calls. */
  private readonly dialect = new Ajv2020({ strict: false });

  constructor() {
    this.dialect.validateSchema({});
  }

  /** `digest` identifies the schema. @returns the check, or the compiler's message if the schema cannot be compiled. */
  of(tool: { digest: string; contract: Pick<ToolVersion['contract'], 'input_schema'> }): InputCheck | string {
    const known = this.checks.get(tool.digest);
    if (known) return known;
    const made = this.compile(tool.contract.input_schema);
    if (typeof made === 'string') return made;
    this.checks.set(tool.digest, made);
    return made;
  }

  private compile(schema: JsonSchema): InputCheck | string {
    // Checked for every announcer: a hazardous schema could block this process at compile or match time.
    const [hazard] = schemaFaults(schema);
    if (hazard !== undefined) return hazard;
    const own = closed(schema);
    if (this.dialect.validateSchema(own) !== true) return `schema is invalid: ${this.dialect.errorsText(undefined, { dataVar: 'data' })}`;
    // One for each contract: what one tenant's schema defines, no other sees.
    const ajv = new Ajv2020({ strict: false, allErrors: true, useDefaults: true, validateFormats: true, validateSchema: false });
    (addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);
    let validate: ValidateFunction;
    try {
      validate = ajv.compile(own);
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause);
    }
    return (inputs) => (validate(inputs) ? [] : issuesOf(validate.errors ?? []));
  }
}
