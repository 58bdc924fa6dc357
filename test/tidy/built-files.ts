import type { Fault, SourceText } from './source.js';

const BUILT_FILE = /(?:apps|libs|packs)\/[\w/-]+\/dist\/[\w./-]+?\.js(?=['"`])/g;

/** Built files that a bench or a script names and whose source is gone: an old build hides that until the next clean clone. */
export function builtOfNothing({ path, text }: SourceText, sources: ReadonlySet<string>): Fault[] {
  return [...text.matchAll(BUILT_FILE)].flatMap(({ 0: built, index }) => {
    const source = built.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    if (sources.has(source)) return [];
    return [{ path, line: text.slice(0, index).split('\n').length, message: `${built} is built of nothing: ${source} is gone` }];
  });
}
