/** Answer of `GET /v1/session`. */
export interface Session {
  tenant_id: string;
  principal: { kind: string; id: string; roles: string[] };
  signed_in_by: 'key' | 'link' | 'openid';
  key_id: string | null;
  /** Sent as `Countersign-Session` with each request that changes something. */
  request_token: string;
  started_at: string;
  idle_expires_at: string;
  expires_at: string;
}

/** `expired`: it was active in this tab; the screen and its drafts stay until its person has signed in again. */
export type SessionState =
  | { kind: 'loading' }
  | { kind: 'signed_out' }
  | { kind: 'active'; session: Session }
  | { kind: 'expired'; session: Session };

/** Who is signed in. */
export class SessionStore {
  private current: SessionState = { kind: 'loading' };
  private readonly listeners = new Set<(state: SessionState) => void>();

  get state(): SessionState {
    return this.current;
  }

  get request_token(): string | undefined {
    return this.current.kind === 'active' ? this.current.session.request_token : undefined;
  }

  set(state: SessionState): void {
    this.current = state;
    for (const listener of [...this.listeners]) listener(state);
  }

  /** The gateway refused the cookie. */
  refused(): void {
    if (this.current.kind === 'active') this.set({ kind: 'expired', session: this.current.session });
    if (this.current.kind === 'loading') this.set({ kind: 'signed_out' });
  }

  subscribe(listener: (state: SessionState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The person of a session, as one text. */
export const personKey = ({ tenant_id, principal }: Session): string => JSON.stringify([tenant_id, principal.kind, principal.id]);

/** Whether a session may use what needs one of these roles; no roles: everyone may. */
export function hasRole({ principal: { roles } }: Session, needed: readonly string[] | undefined): boolean {
  return needed === undefined || roles.includes('admin') || needed.some((role) => roles.includes(role));
}
