/**
 * A hint that the log has a new record, with its bytes: it may be lost, repeated or late. Correctness does not depend on it, and
 * publishing never fails.
 */
export abstract class WakeUps {
  /** Whether a payload may arrive before readers of the log see its record. */
  readonly is_ahead_of_log: boolean = false;
  abstract publish(channel: string, payload: readonly Buffer[]): void;
  /** The handler is called once for each payload, as long as the WakeUps are open. */
  abstract subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void>;
  abstract close(): Promise<void>;
}
