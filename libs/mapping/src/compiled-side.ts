import { setImmediate as nextTurn } from 'node:timers/promises';
import { asCommands, outOfCommands } from './commands.js';
import { Coverage, pointerOf } from './coverage.js';
import { convertDate } from './date.js';
import { convertDecimal } from './decimal.js';
import { MappingFault, type MappingIssue, type MappingRule, UnknownEntry } from './definition.js';
import { Expression } from './expression.js';
import { define, isRecord, joined, partsOf, putAt, valueAt } from './pointer.js';

/** Lookup tables in both directions. */
export interface Tables {
  forward: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  back: Readonly<Record<string, ReadonlyMap<string, string>>>;
}

/** The result of mapping a document; if there are issues, the value must not be used. */
export interface Mapped {
  value: Record<string, unknown>;
  issues: MappingIssue[];
  warnings: string[];
}

/** How to treat a field that no rule maps. */
export type Unmapped = 'refuse' | 'pass' | 'leave_out';

interface Run {
  document: unknown;
  unmapped: Unmapped;
  tables: Tables;
  issues: MappingIssue[];
  /** How many of the issues are values that a table does not have. */
  unknown: number;
  warnings: string[];
}

const ITEMS_MAX = 10_000;
/** So many items that are left out are named. */
const NAMED_MAX = 5;
const ITEMS_A_TURN = 20;

class CompiledRule {
  readonly from: string[] | undefined;
  readonly to: string[];
  private readonly expression: Expression | undefined;
  private readonly each: CompiledSide | undefined;

  constructor(readonly rule: MappingRule) {
    this.from = rule.from === undefined ? undefined : (partsOf(rule.from) as string[]);
    this.to = rule.to === undefined ? [] : (partsOf(rule.to) as string[]);
    this.expression = rule.value === undefined ? undefined : new Expression(rule.value);
    this.each = rule.each && new CompiledSide(rule.each);
  }

  async into(target: Record<string, unknown>, source: unknown, at: string, run: Run): Promise<void> {
    const path = this.rule.from === undefined ? at : at + this.rule.from;
    try {
      const value = await this.value(source, path, run);
      if (value !== undefined) putAt(target, this.to, value);
    } catch (fault) {
      if (!(fault instanceof MappingFault)) throw fault;
      if (fault instanceof UnknownEntry) run.unknown++;
      run.issues.push({ path, message: fault.message });
    }
  }

  private async value(source: unknown, path: string, run: Run): Promise<unknown> {
    const found = this.from === undefined ? undefined : valueAt(source, this.from);
    const taken = found === undefined ? structuredClone(this.rule.default) : await this.stepped(found, path, run);
    if (!this.expression || (taken === undefined && this.from !== undefined)) return taken;
    const input = this.from === undefined && taken === undefined ? source : taken;
    return this.expression.evaluate(input, { document: run.document, tables: run.tables.forward });
  }

  private async stepped(found: unknown, path: string, run: Run): Promise<unknown> {
    const { lookup, lookup_back, date, decimal, out_of, as } = this.rule;
    let value = found;
    if (value === null) return null;
    if (lookup !== undefined) value = this.entry(run.tables.forward[lookup] as Record<string, unknown>, lookup, value);
    if (lookup_back !== undefined) value = this.key(run.tables.back[lookup_back] as ReadonlyMap<string, string>, lookup_back, value);
    if (date) value = convertDate(value, date.from, date.to);
    if (decimal) value = convertDecimal(value, decimal.from, decimal.to);
    if (out_of) value = outOfCommands(value, out_of);
    if (this.each) value = await this.items(this.each, value, path, run);
    return as ? asCommands(value, as) : value;
  }

  private entry(table: Record<string, unknown>, name: string, value: unknown): unknown {
    const key = String(value);
    if ((typeof value !== 'string' && typeof value !== 'number') || !Object.hasOwn(table, key))
      throw new UnknownEntry(`${JSON.stringify(value)?.slice(0, 100)} is not in the table ${name}`);
    return table[key];
  }

  private key(table: ReadonlyMap<string, string>, name: string, value: unknown): string {
    const key = table.get(JSON.stringify(value)) ?? table.get(inOtherType(value));
    if (key === undefined) throw new UnknownEntry(`${JSON.stringify(value)?.slice(0, 100)} is not a value of the table ${name}`);
    return key;
  }

  private async items(side: CompiledSide, value: unknown, path: string, run: Run): Promise<unknown> {
    if (isRecord(value)) return side.record(value, path, run);
    if (!Array.isArray(value)) throw new MappingFault('is neither a list nor an object');
    if (value.length > ITEMS_MAX) throw new MappingFault(`has more than ${ITEMS_MAX} items`);
    const items: unknown[] = [];
    const left_out: MappingIssue[] = [];
    for (const [i, item] of value.entries()) {
      // Expressions on a long list take a while: yield so that other work can run.
      if (i % ITEMS_A_TURN === ITEMS_A_TURN - 1) await nextTurn();
      if (!isRecord(item)) {
        run.issues.push({ path: joined(path, i), message: 'is not an object' });
        continue;
      }
      const own: Run = { ...run, issues: [], unknown: 0, warnings: [] };
      const mapped = await side.record(item, joined(path, i), own);
      const [first] = own.issues;
      if (this.rule.skip_unknown && first && own.unknown === own.issues.length) left_out.push(first);
      else items.push(mergedInto(run, own, mapped));
    }
    if (left_out.length > 0) run.warnings.push(leftOut(path, value.length, left_out));
    return items;
  }
}

const WHOLE = /^\d{1,15}$/;

/** A system may write the same id as a number and as a text. */
function inOtherType(value: unknown): string {
  return typeof value === 'string' && WHOLE.test(value) ? value : JSON.stringify(String(value));
}

function mergedInto(run: Run, own: Run, mapped: unknown): unknown {
  run.issues.push(...own.issues);
  run.unknown += own.unknown;
  run.warnings.push(...own.warnings);
  return mapped;
}

function leftOut(path: string, among: number, items: readonly MappingIssue[]): string {
  const named = items.slice(0, NAMED_MAX).map(({ path: at, message }) => `${at} ${message}`);
  const more = items.length > NAMED_MAX ? ['…'] : [];
  return `${path}: ${items.length} of ${among} items are left out: ${[...named, ...more].join('; ')}`;
}

/** The rules of one direction, compiled once. */
export class CompiledSide {
  private readonly rules: CompiledRule[];
  private readonly coverage = new Coverage();

  constructor(rules: readonly MappingRule[]) {
    this.rules = rules.filter((rule) => !rule.drop).map((rule) => new CompiledRule(rule));
    for (const { from, uses } of rules)
      for (const pointer of [...(from === undefined ? [] : [from]), ...(uses ?? [])]) this.coverage.add(partsOf(pointer) ?? []);
  }

  async map(document: unknown, unmapped: Unmapped, tables: Tables): Promise<Mapped> {
    const run: Run = { document, unmapped, tables, issues: [], unknown: 0, warnings: [] };
    if (!isRecord(document)) return { value: {}, issues: [{ path: '', message: 'is not an object' }], warnings: [] };
    const value = await this.record(document, '', run);
    return { value, issues: run.issues, warnings: run.warnings };
  }

  async record(source: Record<string, unknown>, at: string, run: Run): Promise<Record<string, unknown>> {
    const target: Record<string, unknown> = {};
    for (const rule of this.rules) await rule.into(target, source, at, run);
    for (const parts of this.coverage.unknown(source)) this.unknown(target, source, at, parts, run);
    return target;
  }

  private unknown(target: Record<string, unknown>, source: unknown, at: string, parts: string[], run: Run): void {
    const path = at + pointerOf(parts);
    if (run.unmapped === 'leave_out') run.warnings.push(`${path} is not mapped and was left out`);
    else if (run.unmapped === 'refuse') run.issues.push({ path, message: 'is not mapped' });
    else if (valueAt(target, parts) !== undefined || partsOf(pointerOf(parts)) === undefined)
      run.issues.push({ path, message: 'is not mapped, and another value is at its path' });
    else {
      if (parts.length === 1) define(target, parts[0] as string, valueAt(source, parts));
      else putAt(target, parts, valueAt(source, parts));
      run.warnings.push(`${path} is not mapped and was passed on as it is`);
    }
  }
}
