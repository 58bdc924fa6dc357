/** Why a search has no result. `busy`: too many wait already; `failed`: its thread ended by itself, out of memory mostly. */
export type StopReason = 'too_slow' | 'aborted' | 'closed' | 'busy' | 'failed';

/** A search, or a part of one, that has no result. */
export class SearchStopped extends Error {
  constructor(readonly why: StopReason) {
    super(`the search was stopped: ${why}`);
  }
}
