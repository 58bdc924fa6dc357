import type { Fault, SourceText } from './source.js';

const BUILT_FILE = /(?:apps|libs|packs)\/[\w/-]+\/dist\/[\w./-]+?\.js(?=['"`])/g;

/** Finds built files that a bench or script loads although they have no source file. Output of an old build hides this until the next clean clone. */
export function builtWithoutSource({ path, text }: SourceText, sources: ReadonlySet<string>): Fault[] {
  return [...text.matchAll(BUILT_FILE)].flatMap(({ 0: built, index }) => {
    const source = built.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    if (sources.has(source)) return [];
    return [{ path, line: text.slice(0, index).split('\n').length, message: `${built} has no source: the file ${source} does not exist` }];
  });
}
