import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocumentsController } from './documents.controller.js';

/** What this gateway says of its interfaces: OpenAPI and AsyncAPI. */
@Module({ controllers: [DocumentsController], providers: [ApiDocument] })
export class DocumentsModule {}
