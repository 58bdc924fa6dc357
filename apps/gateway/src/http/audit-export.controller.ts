import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Caller, Refusal, Views, viewsBehind } from '@countersign/calls';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { OpenExport } from '../audit/audit-export.js';
import { AuditRoom } from '../audit/audit-room.js';
import { parseExportCursor } from '../audit/export-cursor.js';
import { contentTypes, type ExportFormatName } from '../exports/export-format.js';
import { badCursor, exportQuery, filterOf } from './audit-query.js';
import { Face } from './face.js';
import { queryOf } from './from-query.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, sendProblem } from './reply.js';

const BUFFERED_BYTES = 64 * 1024;

/** `/v1/audit/export`: a file that is made while it is read, of any length. */
@Controller('v1/audit/export')
export class AuditExportController {
  constructor(
    private readonly face: Face,
    private readonly room: AuditRoom,
    private readonly views: Views,
  ) {}

  /**
   * `Countersign-Checkpoint` is the size of the checkpoint that covers everything in the file, `Countersign-Export` the
   * event_id of the record that says what was given, with the file's SHA-256.
   */
  @Get()
  async export(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const caller = this.face.admit(request, ['auditor']);
    const query = caller instanceof Refusal ? caller : queryOf(request, exportQuery);
    if (caller instanceof Refusal || query instanceof Refusal) return sendProblem(request, reply, query as Refusal);
    const opened = await this.open(request, caller, query).catch((cause) => this.face.problemOf(cause));
    if (opened instanceof Refusal) return sendProblem(request, reply, opened);
    await this.send(reply, opened, query.format);
  }

  private async open(request: HttpRequest, { tenant_id, principal }: Caller, query: ExportQuery): Promise<OpenExport | Refusal> {
    const cursor = query.cursor === undefined ? undefined : parseExportCursor(query.cursor);
    if (query.cursor !== undefined && (!cursor || query.format === 'parquet')) return badCursor();
    if (!(await this.views.current(seenOf(request)))) return viewsBehind();
    const { format, after_checkpoint } = query;
    const filter = filterOf(query);
    const opened = await this.room.exports.open({ tenant_id, by: principal, format, filter, cursor, after_checkpoint, query });
    if (opened === 'unknown') return new Refusal('not-found', 'there is no such call, case or checkpoint');
    if (opened === 'not_covered') return new Refusal('unavailable', 'no checkpoint covers what is on the log: ask again');
    return opened;
  }

  /** A fault on the way cuts the connection: a file that ended well is whole. */
  private async send(reply: HttpReply, opened: OpenExport, format: ExportFormatName): Promise<void> {
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': contentTypes[format],
      'content-disposition': `attachment; filename="audit-${opened.checkpoint_size}.${format}"`,
      'cache-control': 'no-store',
      'countersign-checkpoint': String(opened.checkpoint_size),
      'countersign-export': opened.export_id,
    });
    const file = Readable.from(opened.chunks(), { objectMode: false, highWaterMark: BUFFERED_BYTES });
    await pipeline(file, reply.raw).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.face.problemOf(cause);
    });
  }
}

type ExportQuery = Exclude<ReturnType<typeof queryOf<typeof exportQuery>>, Refusal>;
