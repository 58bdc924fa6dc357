import { INPUT_POINTER, isNode, memberPointer, type ToolContract, valueAt } from '@countersign/contracts';
import type { Limit } from '@countersign/domain';
import type { AmountFact } from './approval-facts.schemas.js';

export const AMOUNT_DAYS = 30;
const DEPTH_MAX = 4;
/** A limit whose amount is one input: `inputs.amount` or `mapped.payment.amount`. */
const ONE_INPUT = /^(?:inputs|mapped)((?:\.[A-Za-z_]\w*)+)$/;

function markedAmount(schema: unknown, at = '', depth = 0): string | undefined {
  const properties = isNode(schema) && isNode(schema.properties) ? schema.properties : {};
  for (const [name, field] of Object.entries(properties)) {
    const pointer = memberPointer(at, name);
    if (isNode(field) && field['x-grant'] === 'amount') return pointer;
    const inner = depth < DEPTH_MAX ? markedAmount(field, pointer, depth + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function ofLimit({ amount }: Pick<Limit, 'amount'>): string[] {
  const path = amount === null ? null : ONE_INPUT.exec(amount.trim());
  const pointer = path?.[1]?.replaceAll('.', '/');
  return pointer !== undefined && INPUT_POINTER.test(pointer) ? [pointer] : [];
}

/** The input that is the amount of a call: marked `x-grant: amount` in the contract, else the one that a limit of the tool adds up. */
export function amountPointer(contract: Pick<ToolContract, 'input_schema'>, limits: readonly Pick<Limit, 'amount'>[]): string | undefined {
  return markedAmount(contract.input_schema) ?? limits.flatMap(ofLimit)[0];
}

/** The amount of a call; undefined if it has none, or if it is sealed. */
export function amountAt(inputs: unknown, pointer: string): number | undefined {
  const value = valueAt(inputs, pointer);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The amount of a call beside those of earlier calls. `complete`: these are all calls of the time. */
export function amountFact(field: string, value: number, earlier: readonly number[], complete: boolean): AmountFact {
  const sorted = earlier.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const median = upper === undefined ? null : sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
  return { field, value, last_30_days: { count: sorted.length, median, maximum: sorted.at(-1) ?? null, complete } };
}
