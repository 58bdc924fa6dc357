import jsonata from 'jsonata';
import { pictureFault } from './date-picture.js';
import { MappingFault } from './definition.js';

const TEXT_MAX = 4_000;
/** What counts is steps: on a busy machine many expressions share the time. */
const STEPS_MAX = 10_000;
const TIMEOUT_MS = 5_000;
const STACK_MAX = 100;
const SEQUENCE_MAX = 10_000;
const STRING_MAX = 262_144;
const NODES_MAX = 100_000;

/** They differ between two runs, build code or values from numbers, or run patterns of unbounded cost. */
const refused = new Set(['eval', 'now', 'millis', 'random', 'shuffle', 'pad', 'clone', 'match']);

type Node = Record<string, unknown>;

/** The first part of an expression that may not stand in a mapping. */
function refusedPart(node: unknown, left: { nodes: number }): string | undefined {
  if (--left.nodes < 0) return 'it is too large';
  if (Array.isArray(node)) {
    for (const each of node) {
      const found = refusedPart(each, left);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (node === null || typeof node !== 'object') return undefined;
  const { type, value } = node as Node;
  if (type === 'regex' || type === 'regexp') return 'regular expressions are not allowed';
  if (type === 'variable' && typeof value === 'string' && refused.has(value)) return `$${value} is not allowed`;
  for (const inner of Object.values(node as Node)) {
    if (inner instanceof RegExp) return 'regular expressions are not allowed';
    const found = typeof inner === 'object' ? refusedPart(inner, left) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function bounded(result: unknown): void {
  if (typeof result === 'string' && result.length > STRING_MAX) throw new MappingFault('the expression returns a text that is too long');
  if (Array.isArray(result) && result.length > SEQUENCE_MAX) throw new MappingFault('the expression returns a list that is too long');
}

/** The result as plain JSON, of bounded size: JSONata's sequences carry marks of its own, and functions are no values. */
function plainJson(value: unknown, left: { nodes: number; chars: number }): unknown {
  if (--left.nodes < 0 || left.chars < 0) throw new MappingFault('the expression returns a value that is too large');
  if (typeof value === 'string') {
    left.chars -= value.length;
    return value;
  }
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new MappingFault('the expression returns a number that is not finite');
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => plainJson(item, left));
  if (typeof value !== 'object' || '_jsonata_lambda' in value || '_jsonata_function' in value)
    throw new MappingFault('the expression returns a function');
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainJson(item, left)]));
}

const parsed = jsonata('$toMillis($text, $picture)');

/** `$toMillis` with a picture that V8 reads in linear time, and a text that is short. @throws MappingFault for any other */
async function toMillis(text: string | undefined, picture: string | undefined): Promise<unknown> {
  if (text === undefined) return undefined;
  const fault = pictureFault(text, picture ?? '');
  if (fault !== undefined) throw new MappingFault(`$toMillis: ${fault}`);
  return parsed.evaluate({}, { text, picture });
}

/** A JSONata expression, parsed once, with bounds on time, depth and size. The same document always gives the same value. */
export class Expression {
  private readonly compiled: jsonata.Expression;
  /** Steps by evaluation: several may be in progress. */
  private readonly steps = new WeakMap<object, number>();

  /** @throws MappingFault where the text is no expression, or has a part that is refused. */
  constructor(readonly text: string) {
    if (text.length > TEXT_MAX) throw new MappingFault(`an expression has at most ${TEXT_MAX} characters`);
    try {
      this.compiled = jsonata(text, { timeout: TIMEOUT_MS, stack: STACK_MAX, sequence: SEQUENCE_MAX });
    } catch (cause) {
      if (cause instanceof RangeError) throw new MappingFault('the expression is nested too deep');
      throw new MappingFault((cause as { message?: string }).message ?? 'is not a valid expression');
    }
    const fault = refusedPart(this.compiled.ast(), { nodes: 5_000 });
    if (fault !== undefined) throw new MappingFault(fault);
    this.compiled.registerFunction('toMillis', toMillis, '<s-s?:n>');
    const entry = Symbol.for('jsonata.__evaluate_entry') as unknown as string;
    this.compiled.assign(entry, (_part: unknown, _input: unknown, { base }: { base: object }) => this.step(base));
    const exit = Symbol.for('jsonata.__evaluate_exit') as unknown as string;
    this.compiled.assign(exit, (_part: unknown, _input: unknown, _environment: unknown, result: unknown) => bounded(result));
  }

  private step(evaluation: object): void {
    const taken = (this.steps.get(evaluation) ?? 0) + 1;
    if (taken > STEPS_MAX) throw new MappingFault('it takes too many steps');
    this.steps.set(evaluation, taken);
  }

  /** Undefined where it gives nothing. @throws MappingFault where it fails or passes its bounds */
  async evaluate(input: unknown, bindings: Readonly<Record<string, unknown>>): Promise<unknown> {
    let result: unknown;
    try {
      result = await this.compiled.evaluate(input, { ...bindings });
    } catch (cause) {
      throw new MappingFault(`the expression fails: ${String((cause as { message?: string }).message ?? cause).slice(0, 300)}`);
    }
    return plainJson(result, { nodes: NODES_MAX, chars: 4 * STRING_MAX });
  }
}
