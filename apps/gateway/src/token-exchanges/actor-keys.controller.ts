import { actorKeySet, type TenantKeys } from '@countersign/process';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { TENANT_KEYS } from './tenant-keys.js';
import { actorKeys } from './token-exchanges.schemas.js';

/**
 * `/v1/actor-keys`: the public keys with which token endpoints verify actor tokens. Every name has a key, so the route does not reveal
 * which tenants exist.
 */
@ApiTags('identity')
@Controller('v1/actor-keys')
export class ActorKeysController {
  constructor(@Inject(TENANT_KEYS) private readonly keys: TenantKeys) {}

  @Get(':tenant_id')
  @Public()
  @ApiOperation({ summary: 'Read the public keys of actor tokens (JWKS)' })
  @Answer(actorKeys)
  read(@Param('tenant_id') tenant_id: string) {
    return actorKeySet(this.keys, tenant_id);
  }
}
