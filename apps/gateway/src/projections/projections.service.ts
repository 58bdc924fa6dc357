import { type Caller, Refusal, Views } from '@countersign/calls';
import { type ProjectionReport, projectionDigests, projectionReports } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { positionText } from '../positions/positions.js';
import type { ProjectionAnswer, ProjectionDigest, RequestedRebuild } from './projections.schemas.js';

const noSuchProjection = (): Refusal => new Refusal('not-found', 'no projection has this name', { reason: 'projection_not_found' });

function buildingOf({ building }: ProjectionReport): ProjectionAnswer['building'] {
  if (!building) return null;
  const { started_at_ms, ...progress } = building;
  return { ...progress, started_at: isoOf(started_at_ms) };
}

function answerOf(report: ProjectionReport): ProjectionAnswer {
  const { name, version, tables, live, building } = report;
  return { name, version, tables, status: building ? 'building' : 'live', live, building: buildingOf(report) };
}

/** Projections and their rebuilds. */
@Injectable()
export class ProjectionsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async list(query: PageQuery): Promise<Page<ProjectionAnswer>> {
    return pageOf(await this.reports(), placeOf(query), ({ name }) => name, answerOf);
  }

  async read(name: string): Promise<ProjectionAnswer | Refusal> {
    const report = await this.report(name);
    return report ? answerOf(report) : noSuchProjection();
  }

  /** Reads every row: to compare the live rows before and after a rebuild. */
  async digest(name: string): Promise<ProjectionDigest | Refusal> {
    const tables = await projectionDigests(this.views.store, name);
    return tables ? { name, tables } : noSuchProjection();
  }

  /** Requests a rebuild from the projectors; the current rows stay readable. */
  async rebuild({ tenant_id, principal: by }: Caller, name: string): Promise<WithHeaders<RequestedRebuild> | Refusal> {
    if (!(await this.report(name))) return noSuchProjection();
    const event = { projection: name, by, requested_at_ms: this.configuration.now_ms() };
    const at = await this.configuration.writer.set(tenant_id, 'projection_rebuild_requested', event);
    const headers = { location: `/v1/projections/${name}`, 'countersign-position': positionText(at) };
    return { body: { name, asked_offset: at.offset }, headers };
  }

  private reports(): Promise<ProjectionReport[]> {
    return projectionReports(this.views.store);
  }

  private async report(name: string): Promise<ProjectionReport | undefined> {
    return (await this.reports()).find((report) => report.name === name);
  }
}
