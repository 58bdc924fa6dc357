import type { ConfigurationState } from '../state/configuration.js';

/** Where secrets are kept is no fold of the log: their events only say who changed which and when. */
export function noteSecret(_state: ConfigurationState): void {}
