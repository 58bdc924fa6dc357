import type { Logger } from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { AnswerInterceptor } from './answer.interceptor.js';
import { AuthGuard } from './auth.guard.js';
import { DamagedRecordGuard } from './damaged-record.guard.js';
import { JsonTextInterceptor } from './json-text.js';
import { OwnReferencesInterceptor } from './own-references.interceptor.js';
import { ProblemFilter, RefusalInterceptor } from './problem.filter.js';
import { SealedFieldsInterceptor } from './sealed-fields.interceptor.js';
import { ValidationPipe } from './validation.pipe.js';

/**
 * What every route has. Interceptors see an answer in the opposite order: a refusal ends it, its schema is checked, what is
 * sealed in it is opened, and JSON that is made already is handed over as it is.
 */
@Module({})
export class HttpModule {
  /** `strict_answers`: an answer that its route does not declare fails the request (tests). */
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
        { provide: APP_INTERCEPTOR, useClass: OwnReferencesInterceptor },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
