/**
 * A hint that something is on the log, with its bytes: may be lost, repeated or late. Nothing waits for it, nothing rests
 * on it, and publishing never fails.
 */
export abstract class WakeUps {
  /** Whether a payload may arrive before readers of the log see its record. */
  readonly is_ahead_of_log: boolean = false;
  abstract publish(channel: string, payload: readonly Buffer[]): void;
  /** Called once a payload, for as long as the WakeUps are open. */
  abstract subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void>;
  abstract close(): Promise<void>;
}
