import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import type { z } from 'zod';

interface AnswerOptions {
  status?: number;
  description?: string;
  headers?: ApiResponseNoStatusOptions['headers'];
}

/** What a route answers: the schema that its answers are checked by and that /openapi.json shows. */
export const Answer = (schema: z.ZodType, { status = 200, description = 'the answer', headers }: AnswerOptions = {}): MethodDecorator =>
  applyDecorators(HttpCode(status), SerializeOptions({ schema }), AlsoAnswers(status, schema, description, headers));

/** A further status of a route, with the schema of its body. */
export const AlsoAnswers = (status: number, schema: z.ZodType, description: string, headers?: AnswerOptions['headers']): MethodDecorator =>
  ApiResponse({ status, description, standardSchema: schema, ...(headers ? { headers } : {}) });

/** A route that answers with something else than JSON. */
export const AnswersIn = (content_type: string, description: string): MethodDecorator =>
  applyDecorators(HttpCode(200), ApiResponse({ status: 200, description, content: { [content_type]: { schema: { type: 'string' } } } }));

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));
