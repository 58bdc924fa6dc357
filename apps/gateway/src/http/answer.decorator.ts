import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import type { z } from 'zod';

type Headers = ApiResponseNoStatusOptions['headers'];

interface AnswerOptions {
  status?: number;
  description?: string;
  headers?: Headers;
}

/** Declares the response of a route: the schema that its responses are checked against and that /openapi.json shows. */
export const Answer = (schema: z.ZodType, { status = 200, description = 'the answer', headers }: AnswerOptions = {}): MethodDecorator =>
  applyDecorators(HttpCode(status), SerializeOptions({ schema }), AlsoAnswers(status, schema, description, headers));

/** Declares a further status of a route, with the schema of its body. */
export const AlsoAnswers = (status: number, schema: z.ZodType, description: string, headers?: Headers): MethodDecorator =>
  ApiResponse({ status, description, standardSchema: schema, ...(headers ? { headers } : {}) });

/** A route whose response is not JSON but has one of these media types. */
export const AnswersIn = (media_types: string | readonly string[], description: string, headers?: Headers): MethodDecorator => {
  const content = Object.fromEntries([media_types].flat().map((type) => [type, { schema: { type: 'string' as const } }]));
  return applyDecorators(HttpCode(200), ApiResponse({ status: 200, description, content, ...(headers ? { headers } : {}) }));
};

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));

/** A route that sends a browser to another address. */
export const Redirects = (description: string): MethodDecorator =>
  applyDecorators(HttpCode(302), ApiResponse({ status: 302, description, headers: described({ Location: 'the address' }) }));

/** Response headers for the `headers` of a response: name → description. */
export const described = (headers: Readonly<Record<string, string>>): NonNullable<Headers> =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]));
