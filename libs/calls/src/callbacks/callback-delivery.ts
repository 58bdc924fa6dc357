/** How long a receiver may take, ms. */
export const ANSWER_MAX_MS = 10_000;

export interface Callback {
  url: string;
  tenant_id: string;
  /** The same for every attempt: receivers deduplicate by it. */
  webhook_id: string;
  /** JSON text. */
  body: string;
}

/** `refused`: do not retry (for example HTTP 410). */
export type Taken = 'taken' | 'refused' | 'try_again';

/** Sends one callback once. Never rejects. */
export interface CallbackDelivery {
  send(callback: Callback): Promise<Taken>;
}
