import { isNode, type JsonSchema, subschemas } from '@countersign/contracts';

const REFERENCES_MAX = 16;

/** One property of an input, at any depth. */
export interface NamedInput {
  /** Its name in the schema. */
  name: string;
  /** In lower case with separated words: `userPrompt` becomes `user_prompt`. */
  words: string;
  /** Whether it may hold arbitrary text, by itself, in a list, or as one of its alternatives. */
  isFreeText: boolean;
}

/** Every property that a schema names, also in lists, alternatives and definitions. */
export function namedInputs(root: JsonSchema): NamedInput[] {
  const found: NamedInput[] = [];
  const walk = (schema: JsonSchema) => {
    for (const [name, part] of isNode(schema.properties) ? Object.entries(schema.properties) : [])
      found.push({ name, words: wordsOf(name), isFreeText: mayBeAnyText(part, root) });
    for (const part of subschemas(schema)) if (isNode(part.schema)) walk(part.schema);
  };
  walk(root);
  return found;
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[\s.-]+/g, '_')
    .toLowerCase()
    .replaceAll(/^_+|_+$/g, '');
}

function mayBeAnyText(schema: unknown, root: JsonSchema, references = 0): boolean {
  if (!isNode(schema) || isRestricted(schema)) return false;
  const may = (part: unknown) => mayBeAnyText(part, root, references);
  if (typeof schema.$ref === 'string') {
    return references < REFERENCES_MAX && mayBeAnyText(referredTo(schema.$ref, root), root, references + 1);
  }
  const types = [schema.type].flat();
  const all = listOf(schema.allOf);
  if (types.includes('string') && !all.some((part) => isNode(part) && isRestricted(part))) return true;
  const items = types.includes('array') || schema.type === undefined ? [schema.items, ...listOf(schema.prefixItems)] : [];
  return [...items, ...listOf(schema.anyOf), ...listOf(schema.oneOf), ...all].some(may);
}

function isRestricted(schema: JsonSchema): boolean {
  return ['enum', 'const', 'pattern', 'format'].some((keyword) => keyword in schema);
}

/** The target of a local reference. */
export function referredTo(reference: string, root: JsonSchema): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  const steps = reference.split('/').slice(1);
  const names = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>(
    (at, name) => (at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[name] : undefined),
    root,
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
