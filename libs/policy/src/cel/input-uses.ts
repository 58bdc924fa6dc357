import { selection } from './history-uses.js';
import { childrenOf, type Expr } from './syntax.js';

/** Top-level fields read from either form of the inputs; `*`: any field. */
export interface InputFields {
  inputs: ReadonlySet<string>;
  mapped: ReadonlySet<string>;
}

type Form = keyof InputFields;

function formOf({ exprKind }: Expr): Form | undefined {
  const name = exprKind.case === 'identExpr' ? exprKind.value.name : undefined;
  return name === 'inputs' || name === 'mapped' ? name : undefined;
}

/** The fields of `inputs` and `mapped` that an expression reads. */
export function inputUses(expr: Expr): InputFields {
  const fields = { inputs: new Set<string>(), mapped: new Set<string>() };
  const walk = (node: Expr, parent: Expr | undefined): void => {
    const form = formOf(node);
    const chosen = parent && selection(parent);
    if (form) fields[form].add(chosen?.operand === node ? chosen.name : '*');
    for (const child of childrenOf(node)) walk(child, node);
  };
  walk(expr, undefined);
  return fields;
}
