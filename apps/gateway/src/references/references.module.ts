import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { OwnReferencesInterceptor } from './own-references.interceptor.js';

/** References of callers, read for every route. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: OwnReferencesInterceptor }] })
export class ReferencesModule {}
