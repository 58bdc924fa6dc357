import { refusalReasons } from '@countersign/calls';
import ts from 'typescript6';
import { type Fault, faultAt, isSpec, nodesOf, type SourceText } from './source.js';

const REFUSAL = /^(Refusal|ProblemWithHeaders)$/;
const byKind: Readonly<Record<string, Readonly<Record<string, string>>>> = refusalReasons;

function literalReason(facts: ts.Expression | undefined): string | undefined {
  if (!facts || !ts.isObjectLiteralExpression(facts)) return undefined;
  for (const member of facts.properties)
    if (ts.isPropertyAssignment(member) && member.name.getText() === 'reason' && ts.isStringLiteral(member.initializer))
      return member.initializer.text;
  return undefined;
}

/** A refusal of a kind with several reasons that names none of them, or one of another kind. */
export function vagueRefusals(source: SourceText): Fault[] {
  if (isSpec(source.path) || source.path.includes('/testing/')) return [];
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isNewExpression(node) || !REFUSAL.test(node.expression.getText())) continue;
    const [kind, , facts] = node.arguments ?? [];
    const reasons = kind && ts.isStringLiteral(kind) ? byKind[kind.text] : undefined;
    if (!reasons || Object.keys(reasons).length < 2) continue;
    const reason = literalReason(facts);
    if (reason === undefined || !(reason in reasons))
      faults.push(faultAt(source, node, 'name the cause: `reason`, one of the list in libs/calls/src/refusal-reasons.ts of this kind'));
  }
  return faults;
}
