import { Module } from '@nestjs/common';
import { ApiReferenceFiles } from './api-reference.js';
import { DocsController } from './docs.controller.js';
import { DocsPages } from './docs-pages.js';

/** The documentation and the API reference, served to browsers. */
@Module({ controllers: [DocsController], providers: [DocsPages, ApiReferenceFiles] })
export class DocsModule {}
