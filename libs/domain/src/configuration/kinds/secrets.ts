import type { ConfigurationState } from '../state/configuration.js';

/** Secrets are not folded from the log: their events record only who changed which secret and when. */
export function noteSecret(_state: ConfigurationState): void {}
