import { Module } from '@nestjs/common';
import { RatingsController } from './ratings.controller.js';
import { RatingsService } from './ratings.service.js';
import { TrustController } from './trust.controller.js';
import { TrustService } from './trust.service.js';

/** Trust in tools, providers and agents, and ratings of tools. */
@Module({ controllers: [TrustController, RatingsController], providers: [TrustService, RatingsService] })
export class TrustModule {}
