/** Why a search has no result. `busy`: too many are waiting; `failed`: its thread ended by itself, mostly out of memory. */
export type StopReason = 'too_slow' | 'aborted' | 'closed' | 'busy' | 'failed';

/** A search, or a part of one, that was stopped without a result. */
export class SearchStopped extends Error {
  constructor(readonly why: StopReason) {
    super(`the search was stopped: ${why}`);
  }
}
