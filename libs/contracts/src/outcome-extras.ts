import type { OutcomeExtras } from './generated/events.js';

/** Completes the optional members of a result. */
export function extrasOf(some: Partial<OutcomeExtras>): OutcomeExtras {
  return {
    cached: false,
    verified: null,
    validation_json: null,
    provenance: null,
    cost: null,
    credentials: null,
    mapping_version: null,
    late: false,
    ...some,
  };
}
