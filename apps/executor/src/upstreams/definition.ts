import { isNode, type JsonSchema, schemaFaults } from '@countersign/contracts';
import { scanForInjection, type UpstreamDefinition } from '@countersign/domain';
import { type ListedTool, messageOf, upstreamOutputSchema } from '@countersign/runtimes';
import { jsonSchemaOf } from '@countersign/tool-kit';
import { compiledSchema } from '../tool-runs/schema-checks.js';

/** JSON text escapes half of a surrogate pair. */
const HALF_CHARACTER = /\\ud[89a-f]/;
const NAME_MAX = 200;
/** Text of one tool that is looked at: the bound of a definition is checked when it is recorded. */
const LISTED_CHARS_MAX = 100_000;

/** Why a tool of a listing is refused. */
export class RefusedDefinition {
  constructor(readonly reason: string) {}
}

/** The dialect is ours, and the identity of a schema means nothing here. */
function ownSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return rest;
}

function faultOf(schema: JsonSchema): string | undefined {
  const [fault] = schemaFaults(schema);
  if (fault !== undefined) return fault;
  try {
    compiledSchema(schema);
    return undefined;
  } catch (cause) {
    return messageOf(cause);
  }
}

function inputSchemaOf(listed: ListedTool): JsonSchema | RefusedDefinition {
  const schema = ownSchema(listed.input_schema);
  const fault = schemaFaults(schema)[0];
  if (fault !== undefined) return new RefusedDefinition(`input schema: ${fault}`);
  if (schema.type !== 'object') return new RefusedDefinition('input schema: its type is not object');
  const closed = jsonSchemaOf({ ...schema, properties: isNode(schema.properties) ? schema.properties : {} }, 'input');
  const uncompiled = faultOf(closed);
  return uncompiled === undefined ? closed : new RefusedDefinition(`input schema: ${uncompiled}`);
}

/** `#/…` of a schema that is nested below these steps. */
function rebased(node: unknown, below: string): unknown {
  if (Array.isArray(node)) return node.map((each) => rebased(each, below));
  if (!isNode(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) =>
      name === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [name, `#${below}${value.slice(1)}`]
        : [name, rebased(value, below)],
    ),
  );
}

/** The schema of the whole output. What a server declares in a form that cannot be checked here counts as anything. */
function outputSchemaOf({ output_schema }: ListedTool): JsonSchema {
  const anything = upstreamOutputSchema(undefined);
  if (output_schema === undefined || schemaFaults(ownSchema(output_schema)).length > 0) return anything;
  const structured = rebased(ownSchema(output_schema), '/properties/structured');
  const schema = { ...anything, properties: { ...(anything.properties as object), structured } };
  return faultOf(schema) === undefined ? schema : anything;
}

/** The definition of a listed tool as it is recorded: checked, bounded and scanned. Its texts stay hostile. */
export function definitionOf(listed: ListedTool): UpstreamDefinition | RefusedDefinition {
  const { name, title = '', description = '', annotations = {} } = listed;
  if (name.length === 0 || name.length > NAME_MAX) return new RefusedDefinition(`its name is empty or longer than ${NAME_MAX} characters`);
  if (JSON.stringify(listed).length > LISTED_CHARS_MAX) return new RefusedDefinition(`it has more than ${LISTED_CHARS_MAX} characters`);
  const input_schema = inputSchemaOf(listed);
  if (input_schema instanceof RefusedDefinition) return input_schema;
  const said = { name, title, description, input_schema, output_schema: outputSchemaOf(listed), annotations: { ...annotations } };
  if (HALF_CHARACTER.test(JSON.stringify(said))) return new RefusedDefinition('its texts are not valid Unicode');
  return { ...said, flags: scanForInjection(said).flags };
}
