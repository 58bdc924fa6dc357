import { sha256Hex } from '@countersign/contracts';
import type { ImportOptions } from '../import-options.js';
import { type Operation, overlayOf } from './operations.js';

const NAME_CHARS_MAX = 64;
const DIGITS = 6;

/** `createPaymentIntent` and `create-payment.intent` are `create_payment_intent`. */
function snake(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

const shortened = (name: string, id: string): string =>
  `${name.slice(0, NAME_CHARS_MAX - DIGITS - 1).replace(/_+$/, '')}_${sha256Hex(id).slice(0, DIGITS)}`;

/**
 * The name of each tool: `<import>__<operation>`. Names that collide, or that are too long, all get six digits of the hash of their
 * operation, so that the order of operations changes no name.
 */
export function toolNames(all: readonly Operation[], options: ImportOptions): Map<Operation, string> {
  const wanted = all.map((operation) => {
    const own = overlayOf(options, operation)?.name;
    const name = `${options.name}__${own ?? (snake(operation.operation_id ?? operation.id) || 'operation')}`;
    return { operation, name };
  });
  const counts = new Map<string, number>();
  for (const { name } of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isPlain = (name: string) => counts.get(name) === 1 && name.length <= NAME_CHARS_MAX;
  return new Map(wanted.map(({ operation, name }) => [operation, isPlain(name) ? name : shortened(name, operation.id)]));
}
