import type { z } from 'zod';
import { type ContractParts, contractOf } from './contract-of.js';
import { isZod, jsonSchemaOf, type Shape } from './json-schema-of.js';
import type { TypeOfSchema } from './schema-type.js';
import type { Compensates, Deprecation, Reconciled, RunContext, SanityPredicate, Tool, ToolTraits, Verified } from './tool.js';
import { ToolError } from './tool-error.js';

/** The inputs of `run`: inputs of an open schema are a record of unknowns. */
type Received<S extends Shape> = S extends z.ZodType
  ? z.output<S>
  : TypeOfSchema<S> extends infer T
    ? T extends Record<string, unknown>
      ? T
      : Record<string, unknown>
    : never;
type Returned<S extends Shape> = S extends z.ZodType ? z.input<S> : TypeOfSchema<S>;

/** A tool as its author writes it; the types of `run` are inferred from the shapes. Promises may reject with a `ToolError`. */
export interface ToolDefinition<I extends Shape, O extends Shape, S extends Shape = I> extends ToolTraits {
  /** Shape of the inputs: an object. zod defaults are filled in before `run` receives them. */
  input: I;
  output: O;
  /** Shape of the inputs after the tenant's mapping, if `run` takes the shape of a system; absent: `input`. */
  system_input?: S;
  run(input: Received<S>, ctx: RunContext): Promise<Returned<O>>;
  /** Queries the system of record for the effect of `ctx.idempotency_key`. Must change nothing. */
  reconcile?(input: Received<S>, ctx: RunContext): Promise<Reconciled<Returned<O>>>;
  /**
   * Undoes the effect of a run; must be safe to run twice. A tool that sets a state must refuse (effect `none`) if the state differs from
   * what its run left, so that later changes are never lost.
   */
  compensate?(compensates: Compensates<Received<S>, Returned<O>>, ctx: RunContext): Promise<unknown>;
  /** For a write that may find nothing to change: whether this output says so. The call then has no effect. Pure. */
  changedNothing?(output: Returned<O>): boolean;
  /**
   * Reads back whether the reported effect of a run exists. Must change nothing. For a write without resources it also decides whether a
   * new request gets the old result: `verified` then means that the same write would find nothing to do.
   */
  verify?(input: Received<S>, output: Returned<O>, ctx: RunContext): Promise<Verified>;
  /** For a tool with a cache: the version of its source. If it has changed, an equal call runs again. */
  sourceVersion?(input: Received<S>, ctx: RunContext): Promise<string>;
  /** Conditions between an input and its output beyond the schemas. */
  sanity?: readonly SanityPredicate<Received<I>, Returned<O>>[];
}

/**
 * @deprecated This version is deprecated (`deprecated`): use its replacement, and remove it at its sunset.
 */
export function defineTool<const I extends Shape, const O extends Shape, const S extends Shape = I>(
  definition: ToolDefinition<I, O, S> & { deprecated: Deprecation },
): Tool & { readonly deprecated: Deprecation };
/**
 * Makes a tool from its declaration: one value that a pack lists.
 * @throws TypeError at definition, with every fault of the contract.
 */
export function defineTool<const I extends Shape, const O extends Shape, const S extends Shape = I>(
  definition: ToolDefinition<I, O, S>,
): Tool;
export function defineTool<I extends Shape, O extends Shape, S extends Shape = I>(definition: ToolDefinition<I, O, S>): Tool {
  const { input, output, system_input, run, reconcile, compensate, changedNothing, verify, sourceVersion, sanity, deprecated, ...traits } =
    definition;
  const parts: ContractParts = {
    input_schema: jsonSchemaOf(input, 'input'),
    output_schema: jsonSchemaOf(output, 'input'),
    has_reconcile: reconcile !== undefined,
    has_compensate: compensate !== undefined,
    ...(verify && { has_verify: true }),
    ...(sanity && { sanity: sanity.map(({ name, severity }) => ({ name, severity })) }),
  };
  const contract = contractOf(traits, parts, system_input ? jsonSchemaOf(system_input, 'input') : parts.input_schema);
  const received = (raw: unknown) => receive(input, raw);
  const taken = (raw: unknown) => (system_input ? receive(system_input, raw) : receive(input, raw)) as Received<S>;
  return {
    contract,
    run: async (raw: never, ctx: RunContext) => run(taken(raw), ctx),
    ...(reconcile && { reconcile: async (raw: never, ctx: RunContext) => reconcile(taken(raw), ctx) }),
    ...(compensate && {
      compensate: async (effect: Compensates<never, never>, ctx: RunContext) =>
        compensate({ ...effect, inputs: taken(effect.inputs) }, ctx),
    }),
    ...(changedNothing && { changedNothing: (result: never) => changedNothing(result) }),
    ...(verify && { verify: async (raw: never, result: never, ctx: RunContext) => verify(taken(raw), result, ctx) }),
    ...(sourceVersion && { sourceVersion: async (raw: never, ctx: RunContext) => sourceVersion(taken(raw), ctx) }),
    ...(sanity && { sanity: sanity.map((each) => receiving(each, received)) }),
    ...(deprecated && { deprecated }),
  };
}

function receiving<I, O>(predicate: SanityPredicate<I, O>, received: (raw: unknown) => I): SanityPredicate<never, never> {
  return { ...predicate, holds: (raw, output) => predicate.holds(received(raw), output) };
}

/** Parses the inputs with zod again: this fills in defaults, and validates them if a caller skipped validation. */
function receive<I extends Shape>(shape: I, raw: unknown): Received<I> {
  if (!isZod(shape)) return raw as Received<I>;
  const parsed = shape.safeParse(raw);
  if (parsed.success) return parsed.data as Received<I>;
  const issues = parsed.error.issues.map((issue) => ({ path: `/${issue.path.map(String).join('/')}`, message: issue.message }));
  throw new ToolError('VALIDATION_ERROR', 'the inputs do not match the schema', { details: { issues }, effect: 'none' });
}
