import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Role } from '../identity/authenticator.js';

/** Metadata of a route: the roles that may call it (empty: every principal), or `public`. */
export const ACCESS = 'countersign:access';
export type Access = readonly Role[] | 'public';

/** The roles that may call a route, besides `admin`. None: every principal of the tenant. */
export const Roles = (...roles: Role[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS, roles), ApiBearerAuth('bearer'), ApiExtension('x-countersign-roles', roles));

/** A route that needs no token. */
export const Public = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS, 'public'), ApiSecurity({}), ApiExtension('x-countersign-public', true));

/** Metadata of a route that changes nothing, whatever its method. */
export const READS_ONLY = 'countersign:reads_only';

/** No GET, and served also while the record is damaged: it leaves the record of the tenant as it is, or mends what is damaged. */
export const ReadsOnly = (): MethodDecorator => SetMetadata(READS_ONLY, true);
