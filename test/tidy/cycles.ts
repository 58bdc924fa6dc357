import path from 'node:path/posix';
import ts from 'typescript6';
import type { Fault, SourceText } from './source.js';

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

/** The files of the same room that stay imported once the types are gone. */
function valueImports(source: SourceText): string[] {
  const code = ts.transpileModule(source.text, { compilerOptions: OPTIONS, fileName: source.path }).outputText;
  return ts
    .preProcessFile(code, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => path.join(path.dirname(source.path), fileName).replace(/\.js$/, '.ts'));
}

/** Groups of files that import each other's values, one fault a group. */
export function valueCycles(sources: readonly SourceText[]): Fault[] {
  const edges = new Map(sources.map((source) => [source.path, valueImports(source)]));
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
