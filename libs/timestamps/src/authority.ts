/** `stamped`: a token over the bytes, checked against the pinned certificates. `failed`: the reason, for the log of the service. */
export type StampAnswer = { kind: 'stamped'; token: Buffer; time_ms: number } | { kind: 'failed'; reason: string };

/** A time-stamping authority (RFC 3161). */
export interface TimestampAuthority {
  /** Asks for a token over the SHA-256 of these bytes. Never throws: whatever goes wrong is a reason. */
  stamp(bytes: Uint8Array): Promise<StampAnswer>;
}
