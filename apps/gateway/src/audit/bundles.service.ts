import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { parseCallId } from '@countersign/contracts';
import { tenantOf, terminalStatuses, unpackCall } from '@countersign/domain';
import type { Bundle } from '@countersign/evidence';
import { type CallRow, listCalls, readCall } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type AskedCheckpoint, AskedCheckpointService } from './asked-checkpoint.service.js';
import type { BundleQuery } from './audit-queries.schemas.js';
import { AuditReads } from './audit-reads.js';
import { BundleMaker, type CallToBundle, type MadeBundle } from './bundle-maker.js';
import { notCovered, notProven } from './cosigned-only.js';

const CALLS_MAX = 500;

/** All records about one call or one case in one file that `countersign verify` checks offline. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly maker: BundleMaker,
    private readonly checkpoints: AskedCheckpointService,
    private readonly reads: AuditReads,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Records the read. */
  async make({ tenant_id, principal }: Caller, query: BundleQuery, views: Views, seen: Seen): Promise<Bundle | Refusal> {
    const { call_id, case_id } = query;
    if ((call_id === undefined) === (case_id === undefined)) return new Refusal('invalid-request', 'send call_id or case_id');
    const checkpoint = await this.checkpoints.find(query);
    if (checkpoint instanceof Refusal) return checkpoint;
    if (!(await views.current(seen))) return viewsBehind();
    const rows = await rowsOf(views, tenant_id, query);
    if (rows instanceof Refusal) return rows;
    const subject = call_id !== undefined ? { call_id } : { case_id: case_id as string };
    const made = await this.of(tenant_id, subject, rows, checkpoint);
    if (made instanceof Refusal) return made;
    await this.reads.record({ tenant_id, by: principal, what: 'bundle', query, items: made.records.length });
    return made;
  }

  private async of(
    tenant_id: string,
    subject: Bundle['subject'],
    rows: CallRow[],
    checkpoint: AskedCheckpoint | undefined,
  ): Promise<Bundle | Refusal> {
    const lane = tenantOf(this.configuration.state, tenant_id)?.lane;
    if (lane === undefined || rows.length === 0)
      return new Refusal('not-found', 'the call or case does not exist, or the case has no calls', { reason: 'call_or_case_not_found' });
    const calls = rows.map((row) => callToBundle(row, lane));
    return bundleOf(await this.maker.make(tenant_id, subject, calls, checkpoint));
  }
}

function bundleOf(made: MadeBundle): Bundle | Refusal {
  switch (made.kind) {
    case 'made':
      return made.bundle;
    case 'not_covered':
      return notCovered();
    case 'dropped':
      return new Refusal('erased', `retention dropped records of ${made.call_id}: only bundles made earlier still verify`, {
        reason: 'record_dropped',
      });
    case 'broken':
      return notProven(`the records cannot be proven: ${made.reason}`);
  }
}

async function rowsOf({ store }: Views, tenant_id: string, { call_id, case_id }: BundleQuery): Promise<CallRow[] | Refusal> {
  if (case_id !== undefined) {
    const { items, next_cursor } = await listCalls(store, { tenant_id, case_id, limit: CALLS_MAX });
    if (next_cursor === null) return items.reverse();
    return new Refusal('invalid-request', `a bundle holds at most ${CALLS_MAX} calls: request a bundle for each call`);
  }
  const row = call_id !== undefined && parseCallId(call_id) ? await readCall(store, tenant_id, call_id) : undefined;
  return row ? [row] : [];
}

function callToBundle({ call_id, requested_at_ms, status, state }: CallRow, lane: string): CallToBundle {
  const { end, approval_end, ruling } = unpackCall(state);
  const isOver = (terminalStatuses as ReadonlySet<string>).has(status);
  const ended_at_ms = isOver ? (end?.at_ms ?? approval_end?.at_ms ?? ruling?.decided_at_ms) : undefined;
  return { call_id, lane, requested_at_ms, ended_at_ms };
}
