import type { Logger } from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { AnswerInterceptor } from './answer.interceptor.js';
import { AuthGuard } from './auth.guard.js';
import { DamagedRecordGuard } from './damaged-record.guard.js';
import { JsonTextInterceptor } from './json-text.js';
import { ProblemFilter, RefusalInterceptor } from './problem.filter.js';
import { SealedFieldsInterceptor } from './sealed-fields.interceptor.js';
import { ValidationPipe } from './validation.pipe.js';

/**
 * Filters, pipes and interceptors of every route. Interceptors process a response in reverse order: a refusal ends it, its schema is
 * checked, encrypted fields are decrypted, and serialized JSON is sent unchanged.
 */
@Module({})
export class HttpModule {
  /** `strict_answers`: fails a request whose response its route does not declare (tests). */
  static of(logger: Logger, strict_answers: boolean): DynamicModule {
    const answers = (reflector: Reflector) => new AnswerInterceptor(reflector, logger, strict_answers);
    return {
      module: HttpModule,
      providers: [
        { provide: APP_GUARD, useClass: DamagedRecordGuard },
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_INTERCEPTOR, useClass: JsonTextInterceptor },
        { provide: APP_INTERCEPTOR, useClass: SealedFieldsInterceptor },
        { provide: APP_INTERCEPTOR, useFactory: answers, inject: [Reflector] },
        { provide: APP_INTERCEPTOR, useClass: RefusalInterceptor },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
