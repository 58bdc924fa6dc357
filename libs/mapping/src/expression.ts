import jsonata from 'jsonata';
import { pictureFault } from './date-picture.js';
import { MappingFault } from './definition.js';

const TEXT_MAX = 4_000;
/** Steps are the real bound; the timeout is generous because many expressions share a busy machine. */
const STEPS_MAX = 10_000;
const TIMEOUT_MS = 5_000;
const STACK_MAX = 100;
const SEQUENCE_MAX = 10_000;
const STRING_MAX = 262_144;
const NODES_MAX = 100_000;

/** Functions that are not deterministic, build code or values from numbers, or run patterns of unbounded cost. */
const refused = new Set(['eval', 'now', 'millis', 'random', 'shuffle', 'pad', 'clone', 'match']);

type Node = Record<string, unknown>;

/** The first part of an expression that mappings do not allow. */
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

/** The result as plain JSON of bounded size: removes JSONata's own marks on sequences, and refuses functions. */
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

/** `$toMillis` for a short text and a picture that V8 evaluates in linear time. @throws MappingFault for any other */
async function toMillis(text: string | undefined, picture: string | undefined): Promise<unknown> {
  if (text === undefined) return undefined;
  const fault = pictureFault(text, picture ?? '');
  if (fault !== undefined) throw new MappingFault(`$toMillis: ${fault}`);
  return parsed.evaluate({}, { text, picture });
}

/** A JSONata expression, parsed once, with bounds on time, depth and size. Deterministic. */
export class Expression {
  private readonly compiled: jsonata.Expression;
  /** Steps per evaluation: several evaluations may be in progress. */
  private readonly steps = new WeakMap<object, number>();

  /** @throws MappingFault if the text is not a valid expression or contains a refused part. */
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

  /** Undefined if the expression returns nothing. @throws MappingFault if it fails or exceeds its bounds */
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
