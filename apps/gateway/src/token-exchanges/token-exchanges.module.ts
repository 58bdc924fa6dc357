import { Module } from '@nestjs/common';
import { ActorKeysController } from './actor-keys.controller.js';
import { TokenExchangesController } from './token-exchanges.controller.js';
import { TokenExchangesService } from './token-exchanges.service.js';

/** Credentials that tools have by exchanging the token of a user, and the keys that the exchange is checked with. */
@Module({ controllers: [TokenExchangesController, ActorKeysController], providers: [TokenExchangesService] })
export class TokenExchangesModule {}
