import { Controller, Get, Req, Res } from '@nestjs/common';
import { asyncApiDocument } from './asyncapi.js';
import { type HttpReply, type HttpRequest, sendAnswer } from './reply.js';

const text = JSON.stringify(asyncApiDocument());

/** `/asyncapi.json`. */
@Controller('asyncapi.json')
export class AsyncApiController {
  @Get()
  read(@Req() _request: HttpRequest, @Res() reply: HttpReply): void {
    sendAnswer(reply, { status: 200, text });
  }
}
