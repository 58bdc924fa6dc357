import { childrenOf, type Expr } from './syntax.js';

/** The subjects whose trust is used. */
export type TrustSubject = 'tool' | 'provider' | 'agent';
const subjects: readonly TrustSubject[] = ['tool', 'provider', 'agent'];

function fieldOf({ exprKind }: Expr): { operand: Expr; name: string | undefined } | undefined {
  if (exprKind.case === 'selectExpr' && exprKind.value.operand) return { operand: exprKind.value.operand, name: exprKind.value.field };
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return undefined;
  const [operand, key] = exprKind.value.args;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  return operand && { operand, name: constant?.case === 'stringValue' ? constant.value : undefined };
}

const isTrust = ({ exprKind }: Expr): boolean => exprKind.case === 'identExpr' && exprKind.value.name === 'trust';

/** The subjects whose `trust` an expression uses; all if it uses `trust` as a whole. */
export function trustUses(expr: Expr): ReadonlySet<TrustSubject> {
  const found = new Set<TrustSubject>();
  const walk = (node: Expr, parent: Expr | undefined): void => {
    if (isTrust(node)) {
      const field = parent && fieldOf(parent);
      const name = field?.operand === node ? field.name : undefined;
      const named = name === undefined ? subjects : subjects.filter((one) => name === one || name.startsWith(`${one}_`));
      for (const one of named) found.add(one);
    }
    for (const child of childrenOf(node)) walk(child, node);
  };
  walk(expr, undefined);
  return found;
}
