import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';

/**
 * What a route answers: the schema that its answers are sent by and that /openapi.json shows. A handler whose answers have
 * several statuses sets the one of each answer itself.
 */
export const Answer = (
  schema: z.ZodType,
  { status = 200, description = 'the answer' }: { status?: number | readonly number[]; description?: string } = {},
): MethodDecorator => {
  const codes = typeof status === 'number' ? [HttpCode(status)] : [];
  const answers = [status].flat().map((one) => ApiResponse({ status: one, description, standardSchema: schema }));
  return applyDecorators(...codes, SerializeOptions({ schema }), ...answers);
};

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));
