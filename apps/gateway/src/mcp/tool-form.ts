import { approvalMode, effectRules, isReadOnly, type ToolContract } from '@countersign/contracts';
import type { TenantToolVersion, ToolVersion } from '@countersign/domain';
import type { Tool } from '@modelcontextprotocol/server';
import { META, OCCURRENCE_ARGUMENT } from './meta-keys.js';
import { withoutHeaderNames } from './without-header-names.js';

const OCCURRENCE_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'Only to run an equal call again on purpose: any new text. An equal call without it is answered with the result of the first one.',
};

const propertiesOf = ({ input_schema }: ToolContract): Record<string, unknown> =>
  (input_schema.properties as Record<string, unknown> | undefined) ?? {};

/** True if the tool takes `countersign_occurrence`: a write that does not declare an input of this name itself. */
export const takesOccurrence = (contract: ToolContract): boolean =>
  !isReadOnly(contract.effect_class) && !Object.hasOwn(propertiesOf(contract), OCCURRENCE_ARGUMENT);

function inputSchema(contract: ToolContract): Tool['inputSchema'] {
  const schema = { ...withoutHeaderNames(contract.input_schema), type: 'object' } as Tool['inputSchema'];
  if (!takesOccurrence(contract)) return schema;
  return { ...schema, properties: { ...schema.properties, [OCCURRENCE_ARGUMENT]: OCCURRENCE_SCHEMA } };
}

/** What the four hints cannot say. The output schema stands here: policy may redact an output, so it is no promise to a client. */
function ownMeta({ tool, lifecycle }: TenantToolVersion): Record<string, unknown> {
  const { contract } = tool;
  return {
    version: tool.version,
    lifecycle,
    contract_digest: tool.digest,
    effect_class: contract.effect_class,
    reversibility: contract.reversibility,
    approval_mode: approvalMode(contract),
    can_be_undone: contract.has_compensate,
    undo_within_ms: contract.undo_within_ms ?? null,
    category: contract.category,
    scopes: contract.scopes,
    markings: contract.markings,
    output_schema: contract.output_schema,
  };
}

/** Made once for each registered version and lifecycle. */
const forms = new WeakMap<ToolVersion, { lifecycle: string; tool: Tool }>();

/** The tool as `tools/list` shows it. Its hints follow from the effect class. */
export function mcpTool(version: TenantToolVersion): Tool {
  const known = forms.get(version.tool);
  if (known?.lifecycle === version.lifecycle) return known.tool;
  const tool = formOf(version);
  forms.set(version.tool, { lifecycle: version.lifecycle, tool });
  return tool;
}

/** A tool of an upstream under its alias. */
export function mcpAlias(version: TenantToolVersion): Tool {
  const form = mcpTool(version);
  const alias = version.tool.contract.upstream?.alias;
  if (!alias) return form;
  const note = `The answer may be up to ${Math.ceil(alias.ttl_ms / 1000)} s old. ${form.name} reads anew.`;
  return { ...form, name: alias.name, description: `${form.description}\n\n${note}` };
}

function formOf(version: TenantToolVersion): Tool {
  const { name, title, description, effect_class } = version.tool.contract;
  const annotations = { title, ...effectRules[effect_class].mcp };
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(version.tool.contract),
    annotations,
    _meta: { [META.tool]: ownMeta(version) },
  };
}
