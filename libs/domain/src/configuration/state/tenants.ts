import type { CaseState, UsagePeriodClosed, WebhookSet } from '@countersign/contracts';

/** A tenant that exists, because it was set. */
export interface Tenant {
  tenant_id: string;
  lane: string;
  weight: number;
  /** Calls that run at once. */
  running_max: number;
  /** Calls admitted and not ended; beyond it 429. */
  in_flight_max: number;
}

export interface CaseFact {
  case_id: string;
  state: CaseState;
  title: string | null;
  external_id: string | null;
  metadata_json: string | null;
  opened_at_ms: number;
  changed_at_ms: number;
}

/** A channel that notices go to. */
export type Webhook = Omit<WebhookSet, 'meta' | 'based_on'>;

/** A month of usage that is closed. */
export type UsagePeriod = Omit<UsagePeriodClosed, 'meta'>;
