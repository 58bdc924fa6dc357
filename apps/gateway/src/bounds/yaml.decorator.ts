import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import type { Role } from '../authentication/authenticator.js';
import { Roles } from '../http/access.decorator.js';
import { YAML } from './yaml-bodies.js';

/**
 * As `Roles`, for a route whose body may be YAML as well: roles are checked before YAML is parsed, which costs far more than JSON.
 * The document has it as an extension: generators of clients do not know the media type.
 */
export const RolesForYaml = (...roles: Role[]): MethodDecorator =>
  applyDecorators(Roles(...roles), RouteConfig({ yaml_roles: roles }), ApiExtension('x-countersign-also-consumes', YAML));
