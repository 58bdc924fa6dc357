import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import { Face } from './face.js';
import { type HttpReply, sendProblem } from './reply.js';

/** Sends whatever a handler, guard or pipe throws as a problem document (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly face: Face) {}

  catch(cause: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<AuthenticatedRequest>(), http.getResponse<HttpReply>()];
    const problem = this.face.problemOf(cause);
    if (request.caller) this.face.refuse(request, reply, request.caller, problem);
    else sendProblem(request, reply, problem);
  }
}
