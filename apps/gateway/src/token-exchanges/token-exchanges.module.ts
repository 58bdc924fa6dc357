import { Module } from '@nestjs/common';
import { ActorKeysController } from './actor-keys.controller.js';
import { TokenExchangesController } from './token-exchanges.controller.js';
import { TokenExchangesService } from './token-exchanges.service.js';

/** Credentials of tools that come from a token exchange, and the keys that verify the exchange. */
@Module({ controllers: [TokenExchangesController, ActorKeysController], providers: [TokenExchangesService] })
export class TokenExchangesModule {}
