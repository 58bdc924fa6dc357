import { childrenOf, type Expr } from './syntax.js';

/** The parts of `history`. */
const historyScopes = ['case', 'run', 'agent', 'first_use_of_tool', 'circuit', 'flagged'] as const;
export type HistoryScope = (typeof historyScopes)[number];

/** The parts of the call history that rules use: only these are read and recorded. */
export interface HistoryUses {
  scopes: ReadonlySet<HistoryScope>;
  /** Names of the used tools; `*`: any. */
  tools: ReadonlySet<string>;
}

/** A selection by name or by a constant text index; `*` if the index is computed. */
export function selection({ exprKind }: Expr): { operand: Expr; name: string } | undefined {
  if (exprKind.case === 'selectExpr' && exprKind.value.operand) return { operand: exprKind.value.operand, name: exprKind.value.field };
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return undefined;
  const [operand, key] = exprKind.value.args;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  return operand && { operand, name: constant?.case === 'stringValue' ? constant.value : '*' };
}

const isHistory = ({ exprKind }: Expr): boolean => exprKind.case === 'identExpr' && exprKind.value.name === 'history';

/** The parts of `history` that an expression uses. */
export function historyUses(expr: Expr): HistoryUses {
  const scopes = new Set<HistoryScope>();
  const tools = new Set<string>();
  const all = () => {
    for (const scope of historyScopes) scopes.add(scope);
    tools.add('*');
  };
  const walk = (node: Expr, parent: Expr | undefined): void => {
    const chosen = selection(node);
    if (isHistory(node) && !(parent && selection(parent)?.operand === node)) all();
    if (chosen && isHistory(chosen.operand)) {
      const scope = historyScopes.find((known) => known === chosen.name);
      if (scope) scopes.add(scope);
      else all();
    }
    if (chosen?.name === 'tools' && !(parent && selection(parent)?.operand === node)) tools.add('*');
    const above = chosen && selection(chosen.operand);
    if (chosen && above?.name === 'tools') tools.add(chosen.name);
    for (const child of childrenOf(node)) walk(child, node);
  };
  walk(expr, undefined);
  return { scopes, tools };
}

/** The union of all uses; undefined: none. */
export function allHistoryUses(all: readonly (HistoryUses | undefined)[]): HistoryUses | undefined {
  const uses = all.filter((one) => one !== undefined);
  if (uses.length === 0) return undefined;
  const merged = <T>(sets: readonly ReadonlySet<T>[]): Set<T> => new Set(sets.flatMap((set) => [...set]));
  return { scopes: merged(uses.map(({ scopes }) => scopes)), tools: merged(uses.map(({ tools }) => tools)) };
}
