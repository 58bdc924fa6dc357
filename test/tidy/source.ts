import ts from 'typescript6';

/** A file as the checks see it: path from the repository's root with forward slashes, and its text. */
export interface SourceText {
  path: string;
  text: string;
}

/** `message` says what is wrong and what to do instead. */
export interface Fault {
  path: string;
  line: number;
  message: string;
}

const parsed = new WeakMap<SourceText, ts.SourceFile>();

export function parse(source: SourceText): ts.SourceFile {
  const known = parsed.get(source);
  if (known) return known;
  const kind = source.path.endsWith('.mjs') ? ts.ScriptKind.JS : source.path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ES2023, true, kind);
  parsed.set(source, file);
  return file;
}

/** Every node of the file, parents first. */
export function* nodesOf(source: SourceText): Generator<ts.Node> {
  const stack: ts.Node[] = [parse(source)];
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    ts.forEachChild(node, (child) => {
      stack.push(child);
    });
  }
}

/** First and last line of a node, from 1, without its leading comments. */
export function linesOf(source: SourceText, node: ts.Node): { first: number; last: number } {
  const file = parse(source);
  return {
    first: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1,
    last: file.getLineAndCharacterOfPosition(node.getEnd()).line + 1,
  };
}

export function faultAt(source: SourceText, node: ts.Node, message: string): Fault {
  return { path: source.path, line: linesOf(source, node).first, message };
}

export const isSpec = (path: string): boolean => path.endsWith('.spec.ts') || path.startsWith('test/');
export const isGenerated = (path: string): boolean => path.includes('/generated/');
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
