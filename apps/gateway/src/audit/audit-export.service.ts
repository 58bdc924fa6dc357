import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { AuditExport, type OpenExport } from './audit-export.js';
import { type ExportQuery, filterOf } from './audit-queries.schemas.js';
import { parseExportCursor } from './export-cursor.js';

/** Opens exports of the audit. */
@Injectable()
export class AuditExportService {
  constructor(
    private readonly exports: AuditExport,
    private readonly views: Views,
  ) {}

  async open({ tenant_id, principal }: Caller, query: ExportQuery, seen: Seen): Promise<OpenExport | Refusal> {
    if (!(await this.views.current(seen))) return viewsBehind();
    const { format, after_checkpoint } = query;
    const cursor = query.cursor === undefined ? undefined : parseExportCursor(query.cursor);
    const filter = filterOf(query);
    const opened = await this.exports.open({ tenant_id, by: principal, format, filter, cursor, after_checkpoint, query });
    if (opened === 'unknown')
      return new Refusal('not-found', 'the call, case or checkpoint does not exist', { reason: 'audit_scope_not_found' });
    if (opened === 'not_covered')
      return new Refusal('unavailable', 'no checkpoint covers the log yet: retry in a second', { reason: 'checkpoint_pending' });
    return opened;
  }
}
