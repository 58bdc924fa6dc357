import { Refusal } from '@countersign/calls';
import { CST, type Document, isMap, isNode, isScalar, Lexer, parseDocument, visit } from 'yaml';
import type { Problem } from '../http/problem.js';
import { LEVELS_MAX, tooDeep } from '../requests/nesting.js';
import { prototypeKey } from './json-bodies.js';

/** Twice the JSON of the longest definition, for indentation and comments. */
export const YAML_BYTES_MAX = 131_072;

const OPTIONS = {
  // The core schema of YAML 1.2: what JSON has, and nothing else.
  ...({ version: '1.2', schema: 'core', merge: false, resolveKnownTags: false, stringKeys: true, logLevel: 'error' } as const),
  // Both take time that grows with the square of the text: `valueFault` compares keys.
  ...{ uniqueKeys: false, prettifyErrors: false },
};

/** What JSON does not have, by its first character. The parser takes time that grows with the square of their number. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  '*': 'aliases are not taken: write the value where it is needed',
  '&': 'anchors are not taken: write the value where it is needed',
  '!': 'tags are not taken',
  '%': 'directives are not taken',
  '?': 'explicit keys are not taken: write `key: value`',
};

const malformed = (detail: string): Refusal<'malformed-body'> => new Refusal('malformed-body', detail);
const lineAt = (text: string, offset: number): string => `line ${text.slice(0, offset).split('\n').length}: `;

/** Looks at each token once, before anything is built of them. */
function tokenFault(text: string): string | undefined {
  let offset = 0;
  let depth = 0;
  let before = '';
  for (const token of new Lexer().lex(text)) {
    const is_scalar = before === CST.SCALAR;
    const fault = is_scalar ? undefined : NOT_TAKEN[token[0] ?? ''];
    if (fault) return lineAt(text, offset) + fault;
    if (!is_scalar) depth += token === '[' || token === '{' ? 1 : token === ']' || token === '}' ? -1 : 0;
    if (depth > LEVELS_MAX) return `${lineAt(text, offset)}is nested more than ${LEVELS_MAX} levels deep`;
    if (token !== CST.SCALAR && token !== CST.DOCUMENT && token !== CST.FLOW_END) offset += token.length;
    before = token;
  }
  return undefined;
}

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

function documentValue(text: string): { value: unknown } | Problem {
  const document = parseDocument(text, OPTIONS);
  const [first] = [...document.errors, ...document.warnings];
  if (first) return malformed(`The body is not YAML: ${lineAt(text, first.pos[0])}${first.message.slice(0, 300)}`);
  const fault = valueFault(document, text);
  if (fault !== undefined) return malformed(`The body is not taken: ${fault}`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  return tooDeep(value) ?? prototypeKey(value) ?? { value };
}

/** The JSON value of a YAML text, or why it has none. Takes time that grows with the length of the text alone. */
export function yamlValue(text: string): { value: unknown } | Problem {
  const fault = tokenFault(text);
  if (fault !== undefined) return malformed(`The body is not taken: ${fault}`);
  try {
    return documentValue(text);
  } catch {
    // The parser is recursive in block collections.
    return malformed('The body is nested too deep');
  }
}
