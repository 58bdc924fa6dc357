import { isNode, type JsonSchema } from '@countersign/contracts';
import { referredTo } from './named-inputs.js';

const REFERENCES_MAX = 16;

/** The schemas that describe the input at a JSON Pointer; a path through an array matches nothing. */
export function inputAt(root: JsonSchema, pointer: string): JsonSchema[] {
  if (!pointer.startsWith('/')) return [];
  const steps = pointer.slice(1).split('/');
  return steps.reduce<JsonSchema[]>(
    (schemas, step) => {
      const property = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return schemas.flatMap((schema) => propertyOf(schema, property)).flatMap((schema) => alternatives(schema, root));
    },
    alternatives(root, root),
  );
}

function propertyOf({ properties }: JsonSchema, property: string): JsonSchema[] {
  const schema = isNode(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  return isNode(schema) ? [schema] : [];
}

/** A schema and all schemas that describe the same value: its references and its alternatives. */
function alternatives(schema: unknown, root: JsonSchema, references = 0): JsonSchema[] {
  if (!isNode(schema) || references > REFERENCES_MAX) return [];
  const others = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const target = typeof schema.$ref === 'string' ? [referredTo(schema.$ref, root)] : [];
  return [schema, ...[...others, ...target].flatMap((each) => alternatives(each, root, references + 1))];
}
