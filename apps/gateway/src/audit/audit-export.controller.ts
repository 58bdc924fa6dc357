import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { sendFile } from '../answers/send-file.js';
import { contentTypes } from '../exports/export-format.js';
import { Roles } from '../http/access.decorator.js';
import { AnswersIn, described } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { RequestAccess } from '../http/request-access.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { AuditExportService } from './audit-export.service.js';
import { type ExportQuery, exportQuery } from './audit-queries.schemas.js';

const headers = described({
  'Countersign-Checkpoint': 'size of the checkpoint that covers every row of the file',
  'Countersign-Export': 'event_id of the export record, which holds the SHA-256 of the file',
});

/** `/v1/audit/export`: a file of any length that is generated while it is sent. */
@ApiTags('audit')
@Controller('v1/audit/export')
export class AuditExportController {
  constructor(
    private readonly exports: AuditExportService,
    private readonly access: RequestAccess,
  ) {}

  @Get()
  @Roles('auditor')
  @ApiOperation({ summary: 'Export the audit as NDJSON, CSV or Parquet' })
  @AnswersIn(['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'], 'a row for each event', headers)
  async export(
    @CurrentCaller() caller: Caller,
    @Query({ schema: exportQuery }) query: ExportQuery,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    const opened = await this.exports.open(caller, query, seen);
    if (opened instanceof Refusal) return opened;
    const { checkpoint_size, export_id } = opened;
    const fault = await sendFile(
      reply,
      {
        'content-type': contentTypes[query.format],
        'content-disposition': `attachment; filename="audit-${checkpoint_size}.${query.format}"`,
        'cache-control': 'no-store',
        'countersign-checkpoint': String(checkpoint_size),
        'countersign-export': export_id,
      },
      opened.chunks(),
    );
    if (fault) this.access.problemOf(fault, request);
    return undefined;
  }
}
