import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { HttpRequest } from '../http/reply.js';

/** Scheme and host that the request was sent to, as `https://gateway.example`. */
export const Origin = createParamDecorator((_: undefined, context: ExecutionContext): string => {
  const { protocol, headers } = context.switchToHttp().getRequest<HttpRequest>();
  return `${protocol}://${headers.host ?? 'localhost'}`;
});
