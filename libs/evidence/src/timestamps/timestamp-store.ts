/** A checkpoint with the token of a time-stamping authority. */
export interface TimestampedCheckpoint {
  /** Number of the last entry that the checkpoint covers. */
  number: number;
  /** The note, with the lines of the witnesses that had cosigned it when the token was requested. */
  note: string;
  /** RFC 3161 token in DER, base64. It covers `timestampedBytes` of the note. */
  token: string;
  time_ms: number;
}

/** Keeps timestamped checkpoints, all of them: an old token tells how old a record is. */
export interface TimestampStore {
  newest(): Promise<TimestampedCheckpoint | undefined>;
  /** The oldest one that covers the entry of this number. */
  covering(number: number): Promise<TimestampedCheckpoint | undefined>;
  /** Durable when it resolves. The first token of a checkpoint is kept. */
  add(stamped: TimestampedCheckpoint): Promise<void>;
}
