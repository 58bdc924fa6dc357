import { Refusal } from '@countersign/calls';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

/** A refusal that a handler returns goes the way of one that it throws: ProblemFilter sends it. */
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
