import { type HistoryUses, historyUses } from './history-uses.js';
import { type InputFields, inputUses } from './input-uses.js';
import { childrenOf, type Expr } from './syntax.js';
import { type TrustSubject, trustUses } from './trust-uses.js';

/** The values that an expression uses. */
export interface ExpressionUses {
  /** Names of variables. */
  variables: ReadonlySet<string>;
  /** Fact tables; `*` if a table name is computed. */
  tables: ReadonlySet<string>;
  /** The used parts of `history`; absent: none. */
  history?: HistoryUses;
  /** The fields of the inputs that it reads; absent: none. */
  fields?: InputFields;
  /** The subjects whose trust it uses; absent: none. */
  trust?: ReadonlySet<TrustSubject>;
}

function tableOf({ exprKind }: Expr): string | undefined {
  if (exprKind.case === 'selectExpr' && isFacts(exprKind.value.operand)) return exprKind.value.field;
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]' || !isFacts(exprKind.value.args[0])) return undefined;
  const key = exprKind.value.args[1]?.exprKind;
  const constant = key?.case === 'constExpr' ? key.value.constantKind : undefined;
  return constant?.case === 'stringValue' ? constant.value : '*';
}

function isFacts(expr: Expr | undefined): boolean {
  return expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === 'facts';
}

export function usesOf(expr: Expr): ExpressionUses {
  const variables = new Set<string>();
  const tables = new Set<string>();
  const walk = (node: Expr): void => {
    if (node.exprKind.case === 'identExpr') variables.add(node.exprKind.value.name);
    const table = tableOf(node);
    if (table !== undefined) tables.add(table);
    for (const child of childrenOf(node)) walk(child);
  };
  walk(expr);
  const history = variables.has('history') ? { history: historyUses(expr) } : {};
  const fields = variables.has('inputs') || variables.has('mapped') ? { fields: inputUses(expr) } : {};
  const trust = variables.has('trust') ? { trust: trustUses(expr) } : {};
  return { variables, tables, ...history, ...fields, ...trust };
}
