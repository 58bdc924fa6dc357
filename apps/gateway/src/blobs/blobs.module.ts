import { Module } from '@nestjs/common';
import { BlobsController } from './blobs.controller.js';

/** Large outputs and attachments of calls. */
@Module({ controllers: [BlobsController] })
export class BlobsModule {}
