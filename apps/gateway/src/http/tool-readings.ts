import type { Caller, Views } from '@countersign/calls';
import type { UnhealthyPack } from '@countersign/store';
import type { TrustRoom } from '../trust/trust-room.js';
import type { Health } from './health.js';
import { seenOf } from './positions.js';
import type { HttpRequest } from './reply.js';
import type { MeasuredOf } from './tool-record.js';

/** What is known of tools besides their contracts. */
export class ToolReadings {
  constructor(
    private readonly trust: TrustRoom,
    private readonly views: Views,
    private readonly health: Health,
  ) {}

  /** Trust, ratings and usage of the tenant's tools, with what this gateway answered before. */
  async measured(request: HttpRequest, { tenant_id }: Caller): Promise<MeasuredOf> {
    await this.views.current(seenOf(request));
    return this.trust.measured(tenant_id);
  }

  unhealthyPacks(): Promise<readonly UnhealthyPack[]> {
    return this.health.packs.unhealthy();
  }
}
