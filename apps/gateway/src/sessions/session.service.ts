import { Refusal } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { IncomingRequest } from '../http/reply.js';
import { BrowserSessions, type LiveSession } from './browser-sessions.js';
import type { SessionAnswer } from './session.schemas.js';

const noSession = (): Refusal => new Refusal('unauthenticated', 'the request has no session cookie: sign in', { reason: 'session_ended' });

/** Reads the session of a request, and ends sessions. */
@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Refuses a request that is authenticated in another way than by a session. */
  of(request: IncomingRequest): LiveSession | Refusal {
    return this.sessions.sessionOf(request) ?? noSession();
  }

  answerOf(session: LiveSession): SessionAnswer {
    const { tenant_id, claims, caller } = session;
    return {
      tenant_id,
      principal: caller.principal as SessionAnswer['principal'],
      signed_in_by: claims.as.by,
      key_id: caller.key_id,
      request_token: this.sessions.requestToken(session),
      started_at: isoOf(claims.started_at_ms) as string,
      idle_expires_at: isoOf(this.sessions.idleExpiry(claims)) as string,
      expires_at: isoOf(claims.expires_at_ms) as string,
    };
  }

  /** Ends this session on every gateway. @throws InfrastructureFault */
  end(session: LiveSession, request: IncomingRequest): Promise<void> {
    return this.write(session, session.claims.session_id, request);
  }

  /** Ends every session of the person. @throws InfrastructureFault */
  endAll(session: LiveSession, request: IncomingRequest): Promise<void> {
    return this.write(session, null, request);
  }

  private async write({ tenant_id, caller }: LiveSession, session_id: string | null, { headers }: IncomingRequest): Promise<void> {
    const { principal, issuer } = caller;
    const fields = { principal, issuer, session_id, by: principal, ended_at_ms: this.configuration.now_ms() };
    await this.configuration.setEverywhere({ headers }, tenant_id, 'browser_sessions_ended', fields);
  }
}
