import { Refusal } from '@countersign/calls';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import { type HttpReply, sendProblem } from './reply.js';
import { RequestAccess } from './request-access.js';

/** Sends exceptions of handlers, guards and pipes as problem documents (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly access: RequestAccess) {}

  catch(cause: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<AuthenticatedRequest>(), http.getResponse<HttpReply>()];
    const problem = this.access.problemOf(cause, request);
    if (request.caller) this.access.refuse(request, reply, request.caller, problem);
    else sendProblem(request, reply, problem);
  }
}

/** Throws a refusal that a handler returns, so that ProblemFilter sends it. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof Refusal) throw answer;
        return answer;
      }),
    );
  }
}
