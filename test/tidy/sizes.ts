import ts from 'typescript6';
import { type Fault, faultAt, isGenerated, linesOf, nodesOf, type SourceText } from './source.js';

export const FILE_LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 70;
export const DEPTH_MAX = 2;
export const DEPENDENCIES_MAX = 4;

export function longFiles(source: SourceText): Fault[] {
  const lines = source.text.trimEnd().split('\n').length;
  if (isGenerated(source.path) || lines <= FILE_LINES_MAX) return [];
  return [
    {
      path: source.path,
      line: 1,
      message: `${lines} lines: a file holds one idea in at most ${FILE_LINES_MAX}; split it by what changes together`,
    },
  ];
}

/** A suite is a list of tests, not a function: the callback of describe(...), and functions called describeSomething. */
function isSuite(node: ts.FunctionLikeDeclaration): boolean {
  if (node.name && ts.isIdentifier(node.name) && node.name.text.startsWith('describe')) return true;
  return ts.isCallExpression(node.parent) && /^describe(\W|$)/.test(node.parent.expression.getText());
}

export function longFunctions(source: SourceText): Fault[] {
  const faults: Fault[] = [];
  if (isGenerated(source.path)) return faults;
  for (const node of nodesOf(source)) {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body || isSuite(node as ts.FunctionLikeDeclaration)) continue;
    const { first, last } = linesOf(source, node);
    const lines = last - first + 1;
    if (lines > FUNCTION_LINES_MAX) {
      faults.push(
        faultAt(source, node, `a function of ${lines} lines: at most ${FUNCTION_LINES_MAX}; push its leaves down into pure functions`),
      );
    }
  }
  return faults;
}

export function deepFolders(source: SourceText): Fault[] {
  const folders = source.path.split('/src/')[1]?.split('/').length ?? 1;
  if (folders - 1 <= DEPTH_MAX) return [];
  return [{ path: source.path, line: 1, message: `more than ${DEPTH_MAX} folders below src: the room is two rooms` }];
}

/** Of classes with a decorator, which Nest builds. */
export function crowdedConstructors(source: SourceText): Fault[] {
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isConstructorDeclaration(node) || node.parameters.length <= DEPENDENCIES_MAX) continue;
    if (!ts.canHaveDecorators(node.parent) || !ts.getDecorators(node.parent)?.length) continue;
    faults.push(faultAt(source, node, `${node.parameters.length} dependencies: at most ${DEPENDENCIES_MAX}; the class has two jobs`));
  }
  return faults;
}
