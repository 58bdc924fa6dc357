import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocumentsController } from './documents.controller.js';

/** The interface descriptions of this gateway: OpenAPI and AsyncAPI. */
@Module({ controllers: [DocumentsController], providers: [ApiDocument] })
export class DocumentsModule {}
