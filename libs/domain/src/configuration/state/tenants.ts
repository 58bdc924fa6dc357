import type { CaseState, UsagePeriodClosed, WebhookSet } from '@countersign/contracts';

/** A tenant that was set explicitly. */
export interface Tenant {
  tenant_id: string;
  lane: string;
  weight: number;
  /** Maximum of concurrently running calls. */
  running_max: number;
  /** Maximum of admitted calls without an end; beyond it requests get 429. */
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

/** A channel that receives notices. */
export type Webhook = Omit<WebhookSet, 'meta' | 'based_on'>;

/** A closed month of usage. */
export type UsagePeriod = Omit<UsagePeriodClosed, 'meta'>;
