import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';

/** What a route answers: the schema that its answers are sent by and that /openapi.json shows. */
export const Answer = (schema: z.ZodType, { status = 200, description = 'the answer' } = {}): MethodDecorator =>
  applyDecorators(HttpCode(status), SerializeOptions({ schema }), ApiResponse({ status, description, standardSchema: schema }));

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));
