/** How long a receiver may take, ms. */
export const ANSWER_MAX_MS = 10_000;

export interface Callback {
  url: string;
  tenant_id: string;
  /** Same for every attempt: receivers drop repeats by it. */
  webhook_id: string;
  /** JSON text. */
  body: string;
}

/** `refused`: not to be tried again, 410 among others. */
export type Taken = 'taken' | 'refused' | 'try_again';

/** The way out: sends one callback, once. Never rejects. */
export interface CallbackDelivery {
  send(callback: Callback): Promise<Taken>;
}
