import path from 'node:path/posix';
import ts from 'typescript6';
import { type Fault, fileName, isSpec, nodesOf, parse, type SourceText } from './source.js';

/** Rooms that a room may import, by folder; a trailing slash means each folder below. Packages of npm are not rooms. */
const allowed: readonly [workspaceFolder: RegExp, may: RegExp][] = [
  [/^libs\/contracts$/, /^$/],
  [/^libs\/(mapping|outbound)$/, /^$/],
  [/^libs\/(domain|policy|event-log|store|tool-kit|client)$/, /^libs\/contracts$/],
  [/^libs\/verifier$/, /^libs\/(contracts|domain)$/],
  [/^libs\/proofs$/, /^libs\/verifier$/],
  [/^libs\/timestamps$/, /^libs\/(proofs|verifier)$/],
  [/^libs\/definitions$/, /^libs\/(contracts|domain)$/],
  [/^libs\/evidence$/, /^libs\/(contracts|domain|proofs|event-log|store|verifier)$/],
  [/^libs\/decisions$/, /^libs\/(contracts|domain|policy)$/],
  [/^libs\/process$/, /^libs\/(contracts|domain|mapping|policy|event-log|store|evidence|outbound|proofs|tool-kit)$/],
  [/^libs\/calls$/, /^libs\/(contracts|domain|event-log|outbound|process|store)$/],
  [/^libs\/openapi$/, /^libs\/(contracts|definitions|tool-kit)$/],
  [/^libs\/runtimes$/, /^libs\/(contracts|openapi|outbound|tool-kit)$/],
  [/^packs\/[^/]+$/, /^libs\/tool-kit$/],
  [/^apps\/executor$/, /^(libs|packs)\//],
  [/^apps\/standalone$/, /^(libs|apps|packs)\//],
  [/^apps\/cli$/, /^(libs\/|apps\/standalone$)/],
  [/^apps\/[^/]+$/, /^libs\//],
  [/^(test|bench|scripts)$/, /./],
];

/** Folder of a workspace by the name of its package. */
export type Workspaces = ReadonlyMap<string, string>;

export interface ImportLine {
  specifier: string;
  node: ts.Node;
}

export function importsOf(source: SourceText): ImportLine[] {
  const found: ImportLine[] = [];
  for (const node of nodesOf(source)) {
    const from = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    const called = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined;
    const specifier = from ?? called;
    if (specifier && ts.isStringLiteral(specifier)) found.push({ specifier: specifier.text, node });
  }
  return found;
}

/** `libs/store` of `libs/store/src/store.ts`; `test` of everything below test. */
export function roomOf(file: string): string {
  const [top, name] = file.split('/');
  return top === 'libs' || top === 'apps' || top === 'packs' ? `${top}/${name}` : (top as string);
}

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function targetFolder(source: SourceText, specifier: string, workspaces: Workspaces): string | undefined {
  if (specifier.startsWith('.')) return roomOf(path.join(path.dirname(source.path), specifier));
  return workspaces.get(packageOf(specifier));
}

/** Imports from a room that this room may not know, and paths that climb out of a room. */
export function wrongImports(source: SourceText, workspaces: Workspaces): Fault[] {
  const own = roomOf(source.path);
  const may = allowed.find(([workspaceFolder]) => workspaceFolder.test(own))?.[1];
  return importsOf(source).flatMap(({ specifier, node }) => {
    const workspaceFolder = targetFolder(source, specifier, workspaces);
    if (workspaceFolder === undefined || workspaceFolder === own) return [];
    const line = parse(source).getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (specifier.startsWith('.') && /^(apps|libs|packs)\//.test(own) && !isSpec(source.path))
      return [{ path: source.path, line, message: `${specifier} leaves ${own}: import the package` }];
    return may?.test(workspaceFolder)
      ? []
      : [{ path: source.path, line, message: `${own} may not import ${workspaceFolder} (see test/tidy/imports.ts)` }];
  });
}

const NEST_EDGE = /(\.(module|controller|consumer|filter|guard|interceptor|pipe|decorator|service)|^main|^start(-[a-z-]+)?)\.ts$/;

/** Nest stands at the edges; everything else is plain TypeScript. */
export function nestInside(source: SourceText): Fault[] {
  const atEdge =
    NEST_EDGE.test(fileName(source.path)) ||
    /^(libs\/(event-log\/src\/transport|process\/src)|apps\/gateway\/src\/(http|documents))\/|\/testing\//.test(source.path);
  if (atEdge || isSpec(source.path)) return [];
  return importsOf(source)
    .filter(({ specifier }) => specifier.startsWith('@nestjs/'))
    .map(({ specifier, node }) => ({
      path: source.path,
      line: parse(source).getLineAndCharacterOfPosition(node.getStart()).line + 1,
      message: `${specifier} belongs at an edge (.module .controller .service .consumer .filter .guard .interceptor .pipe .decorator, start.ts, main.ts)`,
    }));
}
