import { Controller, Get, Req, Res } from '@nestjs/common';
import { openApiDocument } from './openapi.js';
import { type HttpReply, type HttpRequest, sendAnswer } from './reply.js';

const text = JSON.stringify(openApiDocument());

/** `/openapi.json`. */
@Controller('openapi.json')
export class OpenApiController {
  @Get()
  read(@Req() _request: HttpRequest, @Res() reply: HttpReply): void {
    sendAnswer(reply, { status: 200, text });
  }
}
