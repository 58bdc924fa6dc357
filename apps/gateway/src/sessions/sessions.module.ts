import { type DynamicModule, Module } from '@nestjs/common';
import { Authenticator } from '../authentication/authenticator.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { BrowserSessions } from './browser-sessions.js';
import { OpenIdSignInController } from './openid-sign-in.controller.js';
import { type OpenIdParts, OpenIdSignIn } from './openid-sign-in.service.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';
import { SignInService } from './sign-in.service.js';
import { SignInGate } from './sign-in-gate.js';
import { SignInLinksController } from './sign-in-links.controller.js';
import { SignInLinks } from './sign-in-links.js';

/** What signing in needs; created before the module, because every request resolves its session (session-parts.ts). */
export interface SignInParts {
  sessions: BrowserSessions;
  authenticator: Authenticator;
  gate: SignInGate;
  open_id: OpenIdParts;
}

const linksOf = (configuration: ConfigurationService) => new SignInLinks(configuration);

/** Signing in to the console, and its sessions. */
@Module({})
export class SessionsModule {
  static of({ sessions, authenticator, gate, open_id }: SignInParts): DynamicModule {
    return {
      module: SessionsModule,
      controllers: [SessionController, SignInLinksController, OpenIdSignInController],
      providers: [
        { provide: BrowserSessions, useValue: sessions },
        { provide: Authenticator, useValue: authenticator },
        { provide: SignInGate, useValue: gate },
        { provide: SignInLinks, useFactory: linksOf, inject: [ConfigurationService] },
        {
          provide: OpenIdSignIn,
          useFactory: (configuration: ConfigurationService) => new OpenIdSignIn(sessions, gate, configuration, open_id),
          inject: [ConfigurationService],
        },
        SessionService,
        SignInService,
      ],
    };
  }
}
