import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Role } from '../authentication/authenticator.js';

/** Metadata of a route: the roles that may call it (empty: every principal), or `public`. */
export const ACCESS = 'countersign:access';
export type Access = readonly Role[] | 'public';

/** Marks a public route in Fastify, which checks access before it reads the body and so before any guard. */
const PUBLIC = { is_public: true };

/** The roles that may call a route, besides `admin`. Without arguments: every principal of the tenant. */
export const Roles = (...roles: Role[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS, roles), ApiBearerAuth('bearer'), ApiExtension('x-countersign-roles', roles));

/** A route that needs no token. Only for methods: Fastify route options do not apply to classes. */
export const Public = (): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, 'public'), RouteConfig(PUBLIC), ApiSecurity({}), ApiExtension('x-countersign-public', true));

/** True if the route of a request accepts requests without a token. */
export const isPublic = ({ routeOptions: { config } }: Pick<FastifyRequest, 'routeOptions'>): boolean =>
  (config as { is_public?: boolean }).is_public === true;
