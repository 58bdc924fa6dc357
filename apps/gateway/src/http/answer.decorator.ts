import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';

/** Name of a response header → its description. */
type ResponseHeaders = Readonly<Record<string, string>>;

interface AnswerTerms {
  status?: number;
  description?: string;
  headers?: ResponseHeaders;
  /** Other statuses of success with the same body: what each means. */
  also?: Readonly<Record<number, string>>;
}

const described = (headers: ResponseHeaders) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }])),
});

/** What a route answers: the schema that its answers are sent by and that /openapi.json shows. */
export const Answer = (
  schema: z.ZodType,
  { status = 200, description = 'the answer', headers = {}, also = {} }: AnswerTerms = {},
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    SerializeOptions({ schema }),
    ...Object.entries({ [status]: description, ...also }).map(([code, about]) =>
      ApiResponse({ status: Number(code), description: about, ...described(headers), standardSchema: schema }),
    ),
  );

/** A route that answers 204, without a body. */
export const NoAnswer = (): MethodDecorator => applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'done' }));

/** A route that answers 200 with a body that is not JSON, of one of these media types. */
export const FileAnswer = (media_types: readonly string[], headers: ResponseHeaders = {}): MethodDecorator => {
  const content = Object.fromEntries(media_types.map((type) => [type, { schema: { type: 'string' } }]));
  return applyDecorators(HttpCode(200), ApiResponse({ status: 200, description: 'the answer', ...described(headers), content }));
};
