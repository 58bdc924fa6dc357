import type { z } from 'zod';
import { type ContractParts, contractOf } from './contract-of.js';
import { isZod, jsonSchemaOf, type Shape } from './json-schema-of.js';
import type { TypeOfSchema } from './schema-type.js';
import type { Compensates, Deprecation, Reconciled, RunContext, SanityPredicate, Tool, ToolTraits, Verified } from './tool.js';
import { ToolError } from './tool-error.js';

/** What `run` gets: inputs of a schema that says little are a record of unknowns. */
type Received<S extends Shape> = S extends z.ZodType
  ? z.output<S>
  : TypeOfSchema<S> extends infer T
    ? T extends Record<string, unknown>
      ? T
      : Record<string, unknown>
    : never;
type Returned<S extends Shape> = S extends z.ZodType ? z.input<S> : TypeOfSchema<S>;

/** A tool as its author writes it; `run`'s types follow from the shapes. A promise that may reject with a `ToolError`. */
export interface ToolDefinition<I extends Shape, O extends Shape, S extends Shape = I> extends ToolTraits {
  /** Shape of the inputs: an object. zod defaults are filled in before `run` sees them. */
  input: I;
  output: O;
  /** Shape that the tenant's mapping makes of the inputs, where `run` takes the shape of a system; absent: `input`. */
  system_input?: S;
  run(input: Received<S>, ctx: RunContext): Promise<Returned<O>>;
  /** Asks the system of record whether the effect of `ctx.idempotency_key` is there. Must change nothing. */
  reconcile?(input: Received<S>, ctx: RunContext): Promise<Reconciled<Returned<O>>>;
  /**
   * Undoes what a run did; running it twice must do no harm. Of a tool that sets a state: refuses (effect `none`) where the state is not
   * what its run left, so that what came later is never lost.
   */
  compensate?(compensates: Compensates<Received<S>, Returned<O>>, ctx: RunContext): Promise<unknown>;
  /** Of a write that finds things as they should be: whether this output says so. What is answered is then no effect. Pure. */
  changedNothing?(output: Returned<O>): boolean;
  /**
   * Reads back whether the effect that a run reported is there. Must change nothing. Of a write without resources it also decides whether a
   * new request gets the old answer: `verified` then means that the same write again would find nothing to do.
   */
  verify?(input: Received<S>, output: Returned<O>, ctx: RunContext): Promise<Verified>;
  /** Of a tool with a cache: the version of what it reads. Where it has changed, an equal call runs again. */
  sourceVersion?(input: Received<S>, ctx: RunContext): Promise<string>;
  /** What holds between an input and its output beyond the schemas. */
  sanity?: readonly SanityPredicate<Received<I>, Returned<O>>[];
}

/**
 * @deprecated This version says itself that it is to be used no more (`deprecated`): move to what it names, and take it out at its sunset.
 */
export function defineTool<const I extends Shape, const O extends Shape, const S extends Shape = I>(
  definition: ToolDefinition<I, O, S> & { deprecated: Deprecation },
): Tool & { readonly deprecated: Deprecation };
/**
 * A tool from its declaration: one value that a pack lists.
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

/** zod parses once more at the tool: that fills in defaults, and holds where a caller skipped validation. */
function receive<I extends Shape>(shape: I, raw: unknown): Received<I> {
  if (!isZod(shape)) return raw as Received<I>;
  const parsed = shape.safeParse(raw);
  if (parsed.success) return parsed.data as Received<I>;
  const issues = parsed.error.issues.map((issue) => ({ path: `/${issue.path.map(String).join('/')}`, message: issue.message }));
  throw new ToolError('VALIDATION_ERROR', 'the inputs do not match the schema', { details: { issues }, effect: 'none' });
}
