/** The messages between PgliteStore and its worker thread. */
export interface WireStatement {
  name: string;
  /** Null if the text was already sent under this name. */
  text: string | null;
  /** Offset of its parameters among the message's bytes, in the format of a Bind message. */
  from: number;
  to: number;
  /** The bytes are the rows of a COPY. */
  copy: boolean;
  /** It has no name and no parameters, so it may contain several commands. */
  simple: boolean;
}

export interface BackendRequest {
  id: number;
  /** Run as one implicit transaction (one Sync), or, in a session, inside the session's open transaction. */
  statements: WireStatement[];
  background: boolean;
  /** Id of an interactive transaction; while one is open only its own requests run. */
  session: number | null;
  /** The last request of its session (COMMIT or ROLLBACK). */
  closes: boolean;
}

export type ToBackend = { kind: 'run'; requests: BackendRequest[]; bytes: Uint8Array } | { kind: 'close' };

export type FromBackend =
  | { kind: 'ready' }
  | { kind: 'unusable'; message: string }
  | { kind: 'answers'; answers: { id: number; bytes: Uint8Array }[] }
  | { kind: 'closed' };

export interface BackendOptions {
  /** The directory of the database's files; null keeps everything in memory. */
  dir: string | null;
  /** A tar.gz of an initialized database, loaded if `dir` has none. */
  snapshot: string;
}
