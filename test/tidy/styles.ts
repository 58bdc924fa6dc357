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
