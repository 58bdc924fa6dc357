import { parse } from '@bufbuild/cel';

/** A parsed expression of the library. */
export type Parsed = ReturnType<typeof parse>;
/** A node of its syntax tree. */
export type Expr = NonNullable<Parsed['expr']>;
export type CallExpr = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];
export type LoopExpr = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];
export type SelectExpr = Extract<Expr['exprKind'], { case: 'selectExpr' }>['value'];

/** A position in the text: `offset` from 0, `line` and `column` from 1. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

/** Why an expression is unusable, with the position. */
export interface ExpressionFault {
  position: Position;
  reason: string;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, Math.max(0, offset)).split('\n');
  return { offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function present(nodes: readonly (Expr | undefined)[]): Expr[] {
  return nodes.filter((node): node is Expr => node !== undefined);
}

/** The direct children of a node. */
export function childrenOf({ exprKind }: Expr): Expr[] {
  switch (exprKind.case) {
    case 'selectExpr':
      return present([exprKind.value.operand]);
    case 'callExpr':
      return present([exprKind.value.target, ...exprKind.value.args]);
    case 'listExpr':
      return exprKind.value.elements;
    case 'structExpr':
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value]),
      );
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return present([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    default:
      return [];
  }
}
