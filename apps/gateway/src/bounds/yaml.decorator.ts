import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiConsumes } from '@nestjs/swagger';
import { YAML } from './yaml-bodies.js';

/** The body of a route may be YAML as well. */
export const AlsoTakesYaml = (): MethodDecorator =>
  applyDecorators(RouteConfig({ takes_yaml: true }), ApiConsumes('application/json', YAML));
