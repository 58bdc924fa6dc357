import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { z } from 'zod';

type ResponseHeaders = NonNullable<ApiResponseOptions['headers']>;

interface AnswerOptions {
  status?: number | readonly number[];
  description?: string;
  /** Headers that some answers have. */
  headers?: ResponseHeaders;
}

/**
 * What a route answers: the schema that its answers are sent by and that /openapi.json shows. A handler whose answers have
 * several statuses sets the one of each answer itself.
 */
export const Answer = (
  schema: z.ZodType,
  { status = 200, description = 'the answer', headers = {} }: AnswerOptions = {},
): MethodDecorator => {
  const codes = typeof status === 'number' ? [HttpCode(status)] : [];
  const answers = [status].flat().map((one) => ApiResponse({ status: one, description, headers, standardSchema: schema }));
  return applyDecorators(...codes, SerializeOptions({ schema }), ...answers);
};

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));
