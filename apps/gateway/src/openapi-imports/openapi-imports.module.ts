import { Module } from '@nestjs/common';
import { OpenApiImportsController } from './openapi-imports.controller.js';
import { OpenApiImportsService } from './openapi-imports.service.js';

/** Import of OpenAPI documents as tools. */
@Module({ controllers: [OpenApiImportsController], providers: [OpenApiImportsService] })
export class OpenApiImportsModule {}
