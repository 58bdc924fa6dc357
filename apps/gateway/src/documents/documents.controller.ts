import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Public } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { JsonText } from '../http/json-text.js';
import { ApiDocument } from './api-document.js';
import { asyncApiDocument } from './asyncapi.js';

const document = z.record(z.string(), z.unknown());
const asyncApi = new JsonText({ text: JSON.stringify(asyncApiDocument()) });

/** `/openapi.json` and `/asyncapi.json`. */
@ApiTags('health')
@Controller()
export class DocumentsController {
  constructor(private readonly api: ApiDocument) {}

  @Get('openapi.json')
  @Public()
  @ApiOperation({ summary: 'This document' })
  @Answer(document.meta({ id: 'OpenApiDocument' }))
  async openApi() {
    return new JsonText({ text: await this.api.text() });
  }

  @Get('asyncapi.json')
  @Public()
  @ApiOperation({ summary: 'Topics for external consumers' })
  @Answer(document.meta({ id: 'AsyncApiDocument' }))
  asyncApi() {
    return asyncApi;
  }
}
