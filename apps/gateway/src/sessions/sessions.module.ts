import { type DynamicModule, Module } from '@nestjs/common';
import { Authenticator } from '../authentication/authenticator.js';
import { BrowserSessions } from './browser-sessions.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';
import { SignInService } from './sign-in.service.js';
import { SignInGuard } from './sign-in-guard.js';
import { SignInRecord } from './sign-in-record.js';

/** What signing in needs; created before the module, because every request resolves its session (session-parts.ts). */
export interface SignInParts {
  sessions: BrowserSessions;
  authenticator: Authenticator;
  guard: SignInGuard;
  record: SignInRecord;
}

/** Signing in to the console, and its sessions. */
@Module({})
export class SessionsModule {
  static of({ sessions, authenticator, guard, record }: SignInParts): DynamicModule {
    return {
      module: SessionsModule,
      controllers: [SessionController],
      providers: [
        { provide: BrowserSessions, useValue: sessions },
        { provide: Authenticator, useValue: authenticator },
        { provide: SignInGuard, useValue: guard },
        { provide: SignInRecord, useValue: record },
        SessionService,
        SignInService,
      ],
    };
  }
}
