import { type Document, isMap, isNode, isScalar, parseDocument, visit } from 'yaml';
import { type JsonHazard, prototypeKey, tooDeep } from './json-hazards.js';
import { tokenFault } from './yaml-tokens.js';

/** A valid text takes about 4 ms for each KiB, one that is full of errors 12 ms. */
export const YAML_BYTES_MAX = 16_384;

const OPTIONS = {
  // The core schema of YAML 1.2: what JSON has, and nothing else.
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // Both take time that grows with the square of the text: `valueFault` compares keys.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} satisfies Parameters<typeof parseDocument>[1];

/** The JSON value of a text, why the text has none, or why that value must not be used. */
export type ReadYaml = { value: unknown } | { fault: string } | { hazard: JsonHazard };

const lineAt = (text: string, offset: number): string => `line ${text.slice(0, offset).split('\n').length}: `;

/** Keys that stand twice, and numbers without a value. */
function valueFault(document: Document.Parsed, text: string): string | undefined {
  let fault: string | undefined;
  const found = (node: unknown, message: string) => {
    fault = lineAt(text, isNode(node) ? (node.range?.[0] ?? 0) : 0) + message;
    return visit.BREAK;
  };
  visit(document, (_key, node) => {
    if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value))
      return found(node, `${node.source ?? 'a number'} has no value in JSON`);
    if (!isMap(node)) return undefined;
    const keys = new Set<string>();
    for (const { key } of node.items) {
      const name = String(isScalar(key) ? key.value : key);
      if (keys.has(name)) return found(key, `the key ${name.slice(0, 60)} stands twice`);
      keys.add(name);
    }
    return undefined;
  });
  return fault;
}

function documentValue(text: string): ReadYaml {
  const document = parseDocument(text, OPTIONS);
  const [first] = [...document.errors, ...document.warnings];
  if (first) return { fault: `is not YAML: ${lineAt(text, first.pos[0])}${first.message.slice(0, 300)}` };
  const fault = valueFault(document, text);
  if (fault !== undefined) return { fault: `is not taken: ${fault}` };
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  const hazard = tooDeep(value) ?? prototypeKey(value);
  return hazard ? { hazard } : { value };
}

/** Reads YAML as another way to write JSON. Takes time that grows with the length of the text alone. */
export function yamlValue(text: string): ReadYaml {
  const fault = tokenFault(text);
  return fault === undefined ? documentValue(text) : { fault: `is not taken: ${fault}` };
}
