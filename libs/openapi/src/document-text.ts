import { isNode } from '@countersign/contracts';
import { parseDocument } from 'yaml';
import { DocumentFault } from './document.js';

/** Bytes of a document. */
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
/** Bytes of a document of YAML: its reader takes a hundred times as long as that of JSON. */
export const YAML_BYTES_MAX = 4 * 1024 * 1024;
/** Values that aliases may stand for. */
const ALIASES_MAX = 100;
const DEPTH_MAX = 200;
const VALUES_MAX = 3_000_000;

/** The value of a document of JSON or YAML. Takes seconds for a large one: it runs in a thread of its own. @throws DocumentFault */
export function documentValue(text: string): Record<string, unknown> {
  const value = /^\s*\{/.test(text) ? (jsonValue(text) ?? yamlValue(text)) : yamlValue(text);
  if (!isNode(value)) throw new DocumentFault('the document is not an object');
  const fault = sizeFault(value);
  if (fault !== undefined) throw new DocumentFault(fault);
  return value;
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A YAML document may begin with a brace too.
    return undefined;
  }
}

function yamlValue(text: string): unknown {
  if (text.length > YAML_BYTES_MAX) throw new DocumentFault(`a YAML document has at most ${YAML_BYTES_MAX} characters: send JSON`);
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
  });
  const [error] = document.errors;
  if (error) throw new DocumentFault(`the document is neither JSON nor YAML: ${error.message.slice(0, 200)} at character ${error.pos[0]}`);
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (cause) {
    throw new DocumentFault(
      `the aliases of the document cannot be resolved: ${cause instanceof Error ? cause.message.slice(0, 200) : 'error'}`,
    );
  }
}

/** Measures without recursion. A value that several aliases share is counted each time. */
function sizeFault(root: object): string | undefined {
  const open: { value: object; depth: number }[] = [{ value: root, depth: 0 }];
  let count = 0;
  for (let one = open.pop(); one; one = open.pop()) {
    if (one.depth > DEPTH_MAX) return `the document is nested deeper than ${DEPTH_MAX}`;
    for (const value of Object.values(one.value)) {
      if (++count > VALUES_MAX) return `the document has more than ${VALUES_MAX} values`;
      if (typeof value === 'object' && value !== null) open.push({ value, depth: one.depth + 1 });
    }
  }
  return undefined;
}
