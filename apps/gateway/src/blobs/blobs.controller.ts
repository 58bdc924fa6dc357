import { type Caller, Refusal } from '@countersign/calls';
import { contentTypeOf } from '@countersign/store';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AnswersIn } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { BlobsService } from './blobs.service.js';

/** `GET /v1/blobs/{name}`: a large output or an attachment of the caller's tenant, byte for byte. */
@ApiTags('calls')
@Controller('v1/blobs')
export class BlobsController {
  constructor(private readonly blobs: BlobsService) {}

  @Get(':name')
  @Roles()
  @ApiOperation({ summary: 'Read a large output or an attachment' })
  @AnswersIn('application/octet-stream', 'the bytes, in their own content type')
  async read(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: HttpReply,
  ) {
    const blob = await this.blobs.read(caller, name);
    if (blob instanceof Refusal) return blob;
    const etag = `"${name.slice(0, 64)}"`;
    // Revalidate each time: the blob may be erased, or the caller may have lost a clearance.
    reply.headers(blob.sealed ? { 'cache-control': 'no-store' } : { 'cache-control': 'private, no-cache', etag });
    if (!blob.sealed && known === etag) return void reply.code(304).send();
    // Never render it as a page: a tool chose its content.
    reply.headers({
      'content-type': contentTypeOf(name) as string,
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    });
    reply.code(200).send(blob.bytes);
    return undefined;
  }
}
