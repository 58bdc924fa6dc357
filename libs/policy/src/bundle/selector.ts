import type { ToolContract } from '@countersign/contracts';
import type { ToolSelector } from './rule.js';

/** The fields of a tool that selectors match. */
export type Selectable = Pick<ToolContract, 'name' | 'category' | 'effect_class' | 'markings' | 'upstream'>;

export const isGlob = (name: string): boolean => name.includes('*');

/** True if a glob matches a name; `*` matches any characters. Linear time: backtracks only to the last star. */
function globFits(glob: string, name: string): boolean {
  let at = 0;
  let in_name = 0;
  let star = -1;
  let after_star = 0;
  while (in_name < name.length) {
    if (at < glob.length && glob[at] === '*') {
      star = at++;
      after_star = in_name;
    } else if (at < glob.length && glob[at] === name[in_name]) {
      at++;
      in_name++;
    } else if (star >= 0) {
      at = star + 1;
      in_name = ++after_star;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}

const named = (names: readonly string[], name: string): boolean =>
  names.some((entry) => (isGlob(entry) ? globFits(entry, name) : entry === name));

export function selects({ names, categories, effect_classes, markings, upstream }: ToolSelector, tool: Selectable): boolean {
  if (names && !named(names, tool.name)) return false;
  if (categories && !categories.includes(tool.category)) return false;
  if (effect_classes && !effect_classes.includes(tool.effect_class)) return false;
  if (upstream !== undefined && tool.upstream?.server !== upstream) return false;
  return !markings || markings.some((marking) => tool.markings.includes(marking));
}

const NAME = 1_000_000;
const GLOB = 100_000;

/** How narrow a selector is. Order: exact name, glob (longer first), upstream, marking, category, effect class, none. */
export function specificity({ names, categories, effect_classes, markings, upstream }: ToolSelector): number {
  let narrow = 0;
  if (names && names.length > 0) {
    const globs = names.filter(isGlob);
    const literal = Math.min(...globs.map((glob) => glob.replaceAll('*', '').length));
    narrow += globs.length === 0 ? NAME : GLOB + Math.min(literal, 1000) * 10;
  }
  if (upstream !== undefined) narrow += 8;
  if (markings) narrow += 4;
  if (categories) narrow += 2;
  if (effect_classes) narrow += 1;
  return narrow;
}
