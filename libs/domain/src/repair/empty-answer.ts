import { isNode, type JsonSchema } from '@countersign/contracts';
import { cursorsIn } from './cursor.js';
import type { RepairInputs } from './repairs.js';

/** Marks the list of an output that decides whether the answer is empty, where the output has several: `"x-list": true`. */
export const LIST_MARK = 'x-list';
const NEXT = ['next_cursor', 'next_page_token'] as const;

/** The list of an answer: the marked one, else `items`, else the only one. */
function listIn(output: Readonly<Record<string, unknown>>, { properties }: JsonSchema): readonly unknown[] | undefined {
  const names = Object.keys(output).filter((name) => Array.isArray(output[name]));
  const isMarked = (name: string) =>
    isNode(properties) && Object.hasOwn(properties, name) && isNode(properties[name]) && properties[name][LIST_MARK] === true;
  const name = names.find(isMarked) ?? (names.includes('items') ? 'items' : names.length === 1 ? names[0] : undefined);
  return name === undefined ? undefined : (output[name] as unknown[]);
}

/**
 * True if a read found nothing: its output is null or an empty list, or its list (see `listIn`) is empty. The last page of a list and a page
 * with more behind it are not empty answers: the inputs have a cursor, or the output a next one.
 */
export function isEmptyAnswer(inputs: RepairInputs, output: unknown, output_schema: JsonSchema): boolean {
  if (cursorsIn(inputs).length > 0) return false;
  if (output === null) return true;
  if (Array.isArray(output)) return output.length === 0;
  if (!isNode(output) || NEXT.some((name) => (output[name] ?? null) !== null)) return false;
  return listIn(output, output_schema)?.length === 0;
}
