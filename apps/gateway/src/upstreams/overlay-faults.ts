import type { Issue } from '@countersign/calls';
import { effectRules, isReadOnly, type JsonSchema, memberPointer, strictness, type ToolContract } from '@countersign/contracts';
import type { UpstreamDefinition, UpstreamOverlay } from '@countersign/domain';
import { compileReconcileMatch } from '@countersign/policy';
import { inputAt } from '@countersign/tool-kit/input-at';
import { resourceFaults } from '@countersign/tool-kit/resource-faults';
import { summaryFaults } from '@countersign/tool-kit/summary-faults';

/** A tool that an overlay names, as it will be classified. */
export interface NamedTool {
  definition: UpstreamDefinition;
  /** Null: no operator classified it. */
  effect_class: UpstreamOverlay['effect_class'] | null;
}

/** What an overlay is checked against. */
export interface OverlayTerms {
  /** The contract that it would give. */
  contract: ToolContract;
  definition: UpstreamDefinition;
  /** A tool of the same upstream; undefined: there is none that runs. */
  named(tool: string): NamedTool | undefined;
}

const issue = (path: string, message: string): Issue => ({ path, code: 'overlay', message });
const propertiesOf = (schema: JsonSchema): Record<string, unknown> => (schema.properties ?? {}) as Record<string, unknown>;

/** The faults of what an operator declares of a tool, with their places in the declaration. */
export function overlayFaults(overlay: UpstreamOverlay, terms: OverlayTerms): Issue[] {
  const { contract } = terms;
  return [
    ...classFaults(overlay),
    ...identityFaults(overlay, terms),
    ...resourceFaults(contract, contract.input_schema).map((fault) => issue('/resources', fault)),
    ...summaryFaults(contract, contract.input_schema).map((fault) => issue('/summary', fault)),
    ...reconcileFaults(overlay, terms),
    ...compensationFaults(overlay, terms),
  ];
}

function classFaults(overlay: UpstreamOverlay): Issue[] {
  const { effect_class, tier, reconcile, compensation, undo_within_ms, settle_ms, key_input, alias } = overlay;
  const faults: Issue[] = [];
  if (isReadOnly(effect_class)) {
    if (reconcile) faults.push(issue('/reconcile', 'a read-only tool has nothing to reconcile'));
    if (compensation) faults.push(issue('/compensation', 'a read-only tool has nothing to compensate'));
    if (key_input !== undefined) faults.push(issue('/key_input', 'a read-only tool takes no key'));
  }
  if (alias && !isReadOnly(effect_class)) faults.push(issue('/alias', 'only a read-only tool has an alias'));
  if (tier !== undefined && strictness(tier) < strictness(effectRules[effect_class].tier))
    faults.push(issue('/tier', `${tier} is laxer than the default of ${effect_class}`));
  if (undo_within_ms !== undefined && !compensation)
    faults.push(issue('/undo_within_ms', 'only an effect that has a compensation can be undone'));
  if (reconcile?.is_complete && (settle_ms === undefined || !reconcile))
    faults.push(issue('/settle_ms', 'a complete reconcile needs settle_ms'));
  return faults;
}

/** The inputs that identify an effect, and the one that carries our key. */
function identityFaults({ discriminating, effect_class, key_input }: UpstreamOverlay, { definition, contract }: OverlayTerms): Issue[] {
  const faults: Issue[] = [];
  const inputs = propertiesOf(contract.input_schema);
  const unknown = (discriminating ?? []).filter((field) => !Object.hasOwn(inputs, field));
  if (unknown.length > 0) faults.push(issue('/discriminating', `the input has no ${unknown.join(', ')}`));
  if (discriminating && isReadOnly(effect_class)) faults.push(issue('/discriminating', 'a read-only tool has no effect to identify'));
  if (key_input === undefined) return faults;
  const property = propertiesOf(definition.input_schema)[key_input] as { type?: unknown } | undefined;
  if (!property) faults.push(issue('/key_input', `the upstream takes no input ${key_input}`));
  else if (property.type !== 'string') faults.push(issue('/key_input', 'the input that carries the key must be a string'));
  return faults;
}

/** Inputs of another call: that tool must take them, and their values must exist. */
function bindingFaults(
  at: string,
  bindings: Readonly<Record<string, { from: string } | { literal?: unknown }>>,
  to: UpstreamDefinition,
  { contract }: OverlayTerms,
): Issue[] {
  const taken = propertiesOf(to.input_schema);
  const needed = Array.isArray(to.input_schema.required) ? (to.input_schema.required as string[]) : [];
  const faults = needed.filter((name) => !Object.hasOwn(bindings, name)).map((name) => issue(at, `${to.name} needs the input ${name}`));
  for (const [name, binding] of Object.entries(bindings)) {
    const place = memberPointer(at, name);
    if (!Object.hasOwn(taken, name)) faults.push(issue(place, `${to.name} takes no input ${name}`));
    if (!('from' in binding)) continue;
    const pointer = binding.from.slice('/inputs'.length);
    if (binding.from.startsWith('/inputs/') && inputAt(contract.input_schema, pointer).length === 0)
      faults.push(issue(place, `the write has no input ${pointer}`));
  }
  return faults;
}

function reconcileFaults({ reconcile, key_input, settle_is_final, discriminating }: UpstreamOverlay, terms: OverlayTerms): Issue[] {
  if (!reconcile) return [];
  const read = terms.named(reconcile.tool);
  if (!read) return [issue('/reconcile/tool', `the upstream has no tool ${reconcile.tool} that runs`)];
  const faults: Issue[] = [];
  if (read.effect_class === null || !isReadOnly(read.effect_class))
    faults.push(issue('/reconcile/tool', `${reconcile.tool} is not classified as a read: classify it first, or in the same request`));
  if (reconcile.is_complete && settle_is_final !== true)
    faults.push(issue('/settle_is_final', 'a complete reconcile says that no effect comes later: declare settle_is_final'));
  const { contract } = terms;
  const inputs = Object.keys(propertiesOf(contract.input_schema));
  const known = { inputs_schema: contract.input_schema, output_schema: read.definition.output_schema };
  const compiled = compileReconcileMatch(reconcile.matches, {
    ...known,
    discriminating: discriminating ?? inputs,
    carries_key: key_input !== undefined,
  });
  if ('fault' in compiled) faults.push(issue('/reconcile/matches', compiled.fault.reason));
  if (Object.values(reconcile.inputs).some((binding) => 'from' in binding && binding.from.startsWith('/output')))
    faults.push(issue('/reconcile/inputs', 'a write whose answer was lost has no output'));
  return [...faults, ...bindingFaults('/reconcile/inputs', reconcile.inputs, read.definition, terms)];
}

function compensationFaults({ compensation }: UpstreamOverlay, terms: OverlayTerms): Issue[] {
  if (!compensation) return [];
  const undo = terms.named(compensation.tool);
  if (!undo) return [issue('/compensation/tool', `the upstream has no tool ${compensation.tool} that runs`)];
  return bindingFaults('/compensation/inputs', compensation.inputs, undo.definition, terms);
}
