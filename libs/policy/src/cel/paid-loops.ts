import { RANGE, SEARCHED } from './functions.js';
import { type CallExpr, childrenOf, type Expr } from './syntax.js';

const IN = '@in';

function wrapped(around: string, expr: Expr): Expr {
  const call = { $typeName: 'cel.expr.Expr.Call', function: around, args: [expr] } as CallExpr;
  return { ...expr, exprKind: { case: 'callExpr', value: call } };
}

/** Wraps every loop and search of a parsed expression, in place, so that it is charged for its items. */
export function payForLoops(expr: Expr): void {
  for (const child of childrenOf(expr)) payForLoops(child);
  const { exprKind } = expr;
  if (exprKind.case === 'comprehensionExpr' && exprKind.value.iterRange) {
    exprKind.value.iterRange = wrapped(RANGE, exprKind.value.iterRange);
  } else if (exprKind.case === 'callExpr' && exprKind.value.function === IN && exprKind.value.args[1]) {
    exprKind.value.args[1] = wrapped(SEARCHED, exprKind.value.args[1]);
  }
}
