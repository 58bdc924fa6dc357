/** What passes between PgliteStore and its worker thread. Parameters are already in wire form. */
export interface WireStatement {
  name: string;
  text: string;
  params: (string | Uint8Array | null)[];
}

export interface BackendRequest {
  id: number;
  /** Run as one implicit transaction (one Sync), or, in a session, inside the session's open transaction. */
  statements: WireStatement[];
  background: boolean;
  /** Requests of an interactive transaction; while one is open only its own requests run. */
  session: number | null;
  /** The last request of its session (COMMIT or ROLLBACK). */
  closes: boolean;
}

export type ToBackend = { kind: 'run'; requests: BackendRequest[] } | { kind: 'close' };

export type FromBackend =
  | { kind: 'ready' }
  | { kind: 'unusable'; message: string }
  | { kind: 'answers'; answers: { id: number; bytes: Uint8Array }[] }
  | { kind: 'closed' };

export interface BackendOptions {
  /** The directory of the database's files; null keeps everything in memory. */
  dir: string | null;
  /** A tar.gz of an initialised database, loaded where `dir` has none. */
  snapshot: string;
}
