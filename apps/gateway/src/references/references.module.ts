import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { OwnReferencesInterceptor } from './own-references.interceptor.js';

/** Resolves references of callers for every route. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: OwnReferencesInterceptor }] })
export class ReferencesModule {}
