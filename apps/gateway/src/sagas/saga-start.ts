import type { SagaSummary } from './sagas.schemas.js';

/** The answer to a start request: the saga as far as it came within the wait. */
export interface StartedSaga {
  saga: SagaSummary;
  /** An earlier request started it. */
  is_repeat: boolean;
  has_ended: boolean;
  headers: Readonly<Record<string, string>>;
}
