import { Refusal } from '@countersign/calls';
import { lacking } from '@countersign/contracts';
import { contentTypeOf, markingsOf } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, headerOf, sendProblem } from './reply.js';
import { StoredBlobs } from './stored-blobs.js';

/** `GET /v1/blobs/{name}`: a large output or an attachment of the caller's tenant, as it was kept. To whoever is not cleared for its markings there is none. */
@Controller('v1/blobs')
export class BlobsController {
  constructor(
    private readonly face: Face,
    private readonly stored: StoredBlobs,
  ) {}

  @Get(':name')
  async read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, []);
    if (caller instanceof Refusal) return sendProblem(request, reply, caller);
    const { name } = request.params as { name: string };
    try {
      const cleared = lacking(markingsOf(name), caller.clearances).length === 0;
      const blob = cleared ? await this.stored.read(caller.tenant_id, name) : undefined;
      if (blob === 'erased') return sendProblem(request, reply, new Refusal('erased', 'the blob was personal data, and is erased'));
      if (!blob) return sendProblem(request, reply, new Refusal('not-found', 'there is no such blob'));
      const etag = `"${name.slice(0, 64)}"`;
      // Asked again each time: it may be erased, or its markings out of the caller's reach by then.
      reply.headers(blob.sealed ? { 'cache-control': 'no-store' } : { 'cache-control': 'private, no-cache', etag });
      if (!blob.sealed && headerOf(request, 'if-none-match') === etag) return void reply.code(304).send();
      // Never shown as a page: what a tool attached is not ours.
      reply.headers({
        'content-type': contentTypeOf(name) as string,
        'content-disposition': `attachment; filename="${name}"`,
        'x-content-type-options': 'nosniff',
      });
      reply.code(200).send(blob.bytes);
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }
}
