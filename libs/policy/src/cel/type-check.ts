import type { CelFunc } from '@bufbuild/cel';
import { patternOf } from './functions.js';
import { DEPTH_MAX, LOOP_DEPTH_MAX, NODES_MAX } from './limits.js';
import {
  BOOL,
  comparable,
  DOUBLE,
  DYN,
  fits,
  INT,
  isBool,
  isDyn,
  listOf,
  mapOf,
  nameOf,
  ofCelType,
  STRING,
  type StaticType,
  scalar,
} from './static-type.js';
import type { CallExpr, Expr, LoopExpr, SelectExpr } from './syntax.js';

/** A type error at a node; thrown and caught within the checker. */
export class TypeFault extends Error {
  constructor(
    readonly node: bigint,
    reason: string,
  ) {
    super(reason);
  }
}

const TYPE_NAMES: readonly string[] = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'];
const CONSTANTS: Record<string, StaticType> = {
  stringValue: STRING,
  bytesValue: scalar('bytes'),
  doubleValue: DOUBLE,
  boolValue: BOOL,
  int64Value: INT,
  uint64Value: scalar('uint'),
  nullValue: scalar('null_type'),
};

type Variables = ReadonlyMap<string, StaticType>;

/** Checks one expression against the known variables and functions. A class because it keeps counters during the walk. */
export class TypeCheck {
  private nodes = 0;
  private depth = 0;
  private loops = 0;

  constructor(private readonly overloads: ReadonlyMap<string, readonly CelFunc[]>) {}

  /** @throws TypeFault */
  typeOf(expr: Expr, variables: Variables): StaticType {
    if (++this.nodes > NODES_MAX) throw new TypeFault(expr.id, `the expression has over ${NODES_MAX} parts`);
    if (++this.depth > DEPTH_MAX) throw new TypeFault(expr.id, `the expression is nested over ${DEPTH_MAX} deep`);
    const type = this.typeOfKind(expr, variables);
    this.depth--;
    return type;
  }

  private typeOfKind(expr: Expr, variables: Variables): StaticType {
    const { exprKind, id } = expr;
    switch (exprKind.case) {
      case 'constExpr':
        return CONSTANTS[exprKind.value.constantKind.case ?? ''] ?? DYN;
      case 'identExpr':
        return this.ofName(id, exprKind.value.name, variables);
      case 'selectExpr':
        return this.ofSelect(id, exprKind.value, variables);
      case 'callExpr':
        return this.ofCall(id, exprKind.value, variables);
      case 'listExpr': {
        const elements = exprKind.value.elements.map((element) => this.typeOf(element, variables));
        const [first] = elements;
        return listOf(first && elements.every((element) => nameOf(element) === nameOf(first)) ? first : DYN);
      }
      case 'structExpr': {
        if (exprKind.value.messageName !== '') throw new TypeFault(id, `there is no type ${exprKind.value.messageName}`);
        for (const { keyKind, value } of exprKind.value.entries) {
          if (keyKind.case === 'mapKey') this.typeOf(keyKind.value, variables);
          if (value) this.typeOf(value, variables);
        }
        return mapOf(DYN);
      }
      case 'comprehensionExpr':
        return this.ofLoop(id, exprKind.value, variables);
      default:
        throw new TypeFault(id, 'the expression is empty');
    }
  }

  private ofName(id: bigint, name: string, variables: Variables): StaticType {
    const known = variables.get(name);
    if (known) return known;
    if (TYPE_NAMES.includes(name)) return scalar('type');
    throw new TypeFault(id, `there is no variable ${name}`);
  }

  private ofSelect(id: bigint, { operand, field, testOnly }: SelectExpr, variables: Variables): StaticType {
    if (!operand) throw new TypeFault(id, `.${field} has no operand`);
    const found = this.field(id, this.typeOf(operand, variables), field);
    return testOnly ? BOOL : found;
  }

  private field(id: bigint, of: StaticType, field: string): StaticType {
    if (isDyn(of)) return DYN;
    if (of.kind === 'map') return of.value;
    if (of.kind !== 'record') throw new TypeFault(id, `${nameOf(of)} has no field ${field}`);
    const type = of.fields.get(field);
    if (!type && !of.open) throw new TypeFault(id, `${of.name} has no field ${field}`);
    return type ?? DYN;
  }

  private ofLoop(id: bigint, loop: LoopExpr, variables: Variables): StaticType {
    if (++this.loops > LOOP_DEPTH_MAX) throw new TypeFault(id, `loops are nested over ${LOOP_DEPTH_MAX} deep`);
    const { iterRange, accuInit, loopCondition, loopStep, result } = loop;
    if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) throw new TypeFault(id, 'the loop is incomplete');
    const range = this.typeOf(iterRange, variables);
    const accu = this.typeOf(accuInit, variables);
    const withAccu = new Map(variables).set(loop.accuVar, accu.kind === 'list' ? listOf(DYN) : accu);
    const inside = new Map(withAccu).set(loop.iterVar, itemOf(id, range));
    this.typeOf(loopCondition, inside);
    const step = this.typeOf(loopStep, inside);
    const type = this.typeOf(result, accu.kind === 'list' ? new Map(withAccu).set(loop.accuVar, step) : withAccu);
    this.loops--;
    return type;
  }

  private ofCall(id: bigint, call: CallExpr, variables: Variables): StaticType {
    const args = call.args.map((arg) => this.typeOf(arg, variables));
    const target = call.target && this.typeOf(call.target, variables);
    const [first = DYN, second = DYN, third = DYN] = args;
    switch (call.function) {
      case '_&&_':
      case '_||_':
        for (const [i, arg] of args.entries())
          if (!isBool(arg)) throw new TypeFault(call.args[i]?.id ?? id, `expected a bool, found ${nameOf(arg)}`);
        return BOOL;
      case '@not_strictly_false':
        return BOOL;
      case '_?_:_':
        if (!isBool(first)) throw new TypeFault(id, `expected a bool, found ${nameOf(first)}`);
        return nameOf(second) === nameOf(third) ? second : DYN;
      case '_[_]':
        return this.ofIndex(id, call, first, second);
      case '_==_':
      case '_!=_':
        if (!comparable(first, second)) throw new TypeFault(id, `${nameOf(first)} can never be equal to ${nameOf(second)}`);
        return BOOL;
      default:
        this.checkPattern(call);
        return this.ofFunction(id, call, target, args);
    }
  }

  private ofIndex(id: bigint, call: CallExpr, of: StaticType, index: StaticType): StaticType {
    const key = call.args[1]?.exprKind;
    if (key?.case === 'constExpr' && key.value.constantKind.case === 'stringValue') return this.field(id, of, key.value.constantKind.value);
    if (isDyn(of) || of.kind === 'record') return DYN;
    if (of.kind === 'map') return of.value;
    if (of.kind === 'list' && (isDyn(index) || ['int', 'uint', 'double'].includes(nameOf(index)))) return of.element;
    throw new TypeFault(id, `${nameOf(of)} cannot be indexed by ${nameOf(index)}`);
  }

  private checkPattern({ function: name, target, args }: CallExpr): void {
    const pattern = args.at(-1);
    if (name !== 'matches' || !pattern || (args.length < 2 && !target)) return;
    const { exprKind, id } = pattern;
    const constant = exprKind.case === 'constExpr' ? exprKind.value.constantKind : undefined;
    if (constant?.case !== 'stringValue') throw new TypeFault(id, 'a pattern must be a string literal');
    try {
      patternOf(constant.value);
    } catch (error) {
      throw new TypeFault(id, `not a valid pattern: ${(error as Error).message}`);
    }
  }

  private ofFunction(id: bigint, call: CallExpr, target: StaticType | undefined, args: readonly StaticType[]): StaticType {
    const all = this.overloads.get(call.function);
    if (!all) throw new TypeFault(id, `there is no function ${call.function}`);
    const able = all.filter((overload) => takes(overload, target, args));
    const [one] = able;
    if (!one)
      throw new TypeFault(
        id,
        `${call.function} does not accept (${[target, ...args].flatMap((arg) => (arg ? [nameOf(arg)] : [])).join(', ')})`,
      );
    return able.every(({ result }) => result === one.result) ? ofCelType(one.result) : DYN;
  }
}

function takes(overload: CelFunc, target: StaticType | undefined, args: readonly StaticType[]): boolean {
  if ((overload.target === undefined) !== (target === undefined)) return false;
  if (overload.target && target && !fits(target, overload.target)) return false;
  return overload.arguments.length === args.length && overload.arguments.every((wanted, i) => fits(args[i] ?? DYN, wanted));
}

function itemOf(id: bigint, range: StaticType): StaticType {
  if (isDyn(range)) return DYN;
  if (range.kind === 'list') return range.element;
  if (range.kind === 'scalar') throw new TypeFault(id, `cannot loop over ${nameOf(range)}`);
  return STRING;
}
