import { Refusal } from '@countersign/calls';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/access.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { API_REFERENCE_PAGE, API_REFERENCE_START, ApiReferenceFiles } from './api-reference.js';
import { DocsPages } from './docs-pages.js';
import { PAGE_POLICY, STYLE } from './html-page.js';

const HTML = 'text/html; charset=utf-8';
const HOUR = 'public, max-age=3600';

const headersOf = (content_type: string, caching: string): Record<string, string> => ({
  'content-type': content_type,
  'cache-control': caching,
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});

/** `/docs` and the API reference: pages for people, the same for everyone. */
@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(
    private readonly pages: DocsPages,
    private readonly reference: ApiReferenceFiles,
  ) {}

  @Public()
  @Get('docs/style.css')
  style(@Res({ passthrough: true }) reply: HttpReply): string {
    reply.headers(headersOf('text/css; charset=utf-8', HOUR));
    return STYLE;
  }

  @Public()
  @Get('docs/api')
  apiReference(@Res({ passthrough: true }) reply: HttpReply): string {
    reply.headers(headersOf(HTML, 'no-cache'));
    return API_REFERENCE_PAGE;
  }

  @Public()
  @Get('docs/api/start.js')
  apiReferenceStart(@Res({ passthrough: true }) reply: HttpReply): string {
    reply.headers(headersOf('text/javascript; charset=utf-8', HOUR));
    return API_REFERENCE_START;
  }

  @Public()
  @Get('docs/api/:file')
  async apiReferenceFile(@Param('file') name: string, @Res({ passthrough: true }) reply: HttpReply): Promise<Buffer | Refusal> {
    const file = await this.reference.file(name);
    if (!file) return new Refusal('not-found', 'the file of the API reference does not exist', { reason: 'page_not_found' });
    reply.headers(headersOf(file.content_type, HOUR));
    return file.bytes;
  }

  @Public()
  @Get('docs/images/:file')
  async image(@Param('file') name: string, @Res({ passthrough: true }) reply: HttpReply): Promise<Buffer | Refusal> {
    const image = await this.pages.image(name);
    if (image instanceof Refusal) return image;
    reply.headers(headersOf(image.content_type, HOUR));
    return image.bytes;
  }

  @Public()
  @Get(['docs', 'docs/:folder', 'docs/:folder/:page'])
  async page(@Param() { folder, page }: { folder?: string; page?: string }, @Res({ passthrough: true }) reply: HttpReply) {
    const found = await this.pages.page([folder, page].filter((part) => part !== undefined).join('/'));
    if (!(found instanceof Refusal)) reply.headers(headersOf(HTML, 'no-cache'));
    return found;
  }
}
