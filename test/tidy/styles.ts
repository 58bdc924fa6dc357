import type { Fault, SourceText } from './source.js';

/** The one sheet that names colours. */
const TOKENS = 'apps/console/src/elements/tokens.css';
const COLOUR = /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|oklch|lab)\(/i;
const REMOTE = /@import|url\(\s*["']?(https?:)?\/\//i;

/** Colours are tokens, so that each has its dark form; nothing is loaded from elsewhere; nothing is forced over another rule. */
export function looseStyles(source: SourceText): Fault[] {
  return source.text.split('\n').flatMap((text, at) => {
    const fault = (message: string): Fault => ({ path: source.path, line: at + 1, message });
    if (source.path !== TOKENS && COLOUR.test(text)) return [fault('a colour: use a token of elements/tokens.css, which has a dark form')];
    if (REMOTE.test(text)) return [fault('a sheet or an image from elsewhere: the policy of the page blocks it')];
    if (text.includes('!important')) return [fault('!important: make the selector right')];
    return [];
  });
}

const CLASS = /^\.([a-z][\w-]*)(?=,|\s*\{)/;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** A sheet stays loaded when its screen is left: a class that two folders define looks different after a visit of the other screen. */
export function sharedClasses(sheets: readonly SourceText[]): Fault[] {
  const first = new Map<string, string>();
  return sheets.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const name = CLASS.exec(line)?.[1];
      if (name === undefined) return [];
      const folder = folderOf(path);
      const owner = first.get(name) ?? folder;
      first.set(name, owner);
      return owner === folder
        ? []
        : [{ path, line: at + 1, message: `the class ${name} stands in ${owner}, too: name one after its screen` }];
    }),
  );
}
