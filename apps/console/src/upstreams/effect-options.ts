import { EFFECTS } from '../effects/effect-words.js';

/** The classes of effects in the order of their risk, for a select. */
export const EFFECT_OPTIONS: readonly (readonly [value: string, label: string])[] = Object.entries(EFFECTS);
