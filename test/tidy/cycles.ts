import path from 'node:path/posix';
import ts from 'typescript6';
import type { Fault, SourceText } from './source.js';

/** The JavaScript of a file, as the build makes it: imports of types alone are gone. */
export function compiled(source: SourceText): SourceText {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, jsx: ts.JsxEmit.ReactJSX };
  return { path: source.path, text: ts.transpileModule(source.text, { compilerOptions, fileName: source.path }).outputText };
}

/** Paths without their ending: an import names what the build makes of a .ts or .tsx. */
const stemOf = (file: string): string => file.replace(/\.(jsx?|tsx?)$/, '');

function valueImports(source: SourceText): string[] {
  return ts
    .preProcessFile(source.text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => stemOf(path.join(path.dirname(source.path), fileName)));
}

/** Groups of files that import each other's values, one fault a group. Takes compiled text under the path of its source. */
export function valueCycles(sources: readonly SourceText[]): Fault[] {
  const edges = new Map(sources.map((source) => [stemOf(source.path), valueImports(source)]));
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const faults: Fault[] = [];
  const visit = (file: string) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      const ring = trail.slice(trail.indexOf(file));
      faults.push({ path: file, line: 1, message: `import cycle: ${[...ring, file].join(' -> ')}; move what both need into a third file` });
      return;
    }
    state.set(file, 'open');
    trail.push(file);
    for (const next of edges.get(file) ?? []) if (edges.has(next)) visit(next);
    trail.pop();
    state.set(file, 'done');
  };
  for (const file of edges.keys()) visit(file);
  return faults;
}
