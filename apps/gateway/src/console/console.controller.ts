import { Refusal } from '@countersign/calls';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PAGE_POLICY } from '../docs/html-page.js';
import { Public } from '../http/access.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { ASSET_HEADERS, PAGE_HEADERS } from './console-headers.js';
import { CONSOLE_PATHS } from './console-paths.js';
import { acceptedForm, ConsoleSite } from './console-site.js';
import { UNBUILT_PAGE } from './unbuilt-page.js';

/** The page of operators, approvers and auditors: the same for everyone. It reads the API in the session of its user. */
@ApiExcludeController()
@Controller()
export class ConsoleController {
  constructor(private readonly site: ConsoleSite) {}

  @Public()
  @Get(CONSOLE_PATHS)
  page(@Res({ passthrough: true }) reply: HttpReply): string {
    if (this.site.page !== undefined) {
      reply.headers(PAGE_HEADERS);
      return this.site.page;
    }
    reply.headers({ ...PAGE_HEADERS, 'content-security-policy': PAGE_POLICY });
    return UNBUILT_PAGE;
  }

  @Public()
  @Get('console/assets/:file')
  asset(@Param('file') name: string, @Req() request: HttpRequest, @Res({ passthrough: true }) reply: HttpReply): Buffer | Refusal {
    const asset = this.site.asset(name);
    if (!asset) return new Refusal('not-found', 'the file of the console does not exist; load / again', { reason: 'page_not_found' });
    const { encoding, bytes } = acceptedForm(asset, headerOf(request, 'accept-encoding'));
    reply.headers({ ...ASSET_HEADERS, 'content-type': asset.content_type, ...(encoding ? { 'content-encoding': encoding } : {}) });
    return bytes;
  }
}
