import { Module } from '@nestjs/common';
import { DelegationsController } from './delegations.controller.js';
import { DelegationsService } from './delegations.service.js';
import { IdentityProvidersController } from './identity-providers.controller.js';
import { IdentityProvidersService } from './identity-providers.service.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { PersonLinksController } from './person-links.controller.js';
import { PersonLinksService } from './person-links.service.js';
import { PrincipalsController } from './principals.controller.js';
import { PrincipalsService } from './principals.service.js';
import { TenantsController } from './tenants.controller.js';
import { TenantsService } from './tenants.service.js';

/** Tenants, their principals, keys, delegations and identity providers. */
@Module({
  controllers: [
    TenantsController,
    KeysController,
    IdentityProvidersController,
    PersonLinksController,
    DelegationsController,
    PrincipalsController,
  ],
  providers: [TenantsService, KeysService, IdentityProvidersService, PersonLinksService, DelegationsService, PrincipalsService],
})
export class IdentityModule {}
