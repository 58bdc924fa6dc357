import { badReference, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { type CallState, catalogued, resolveCaseId, unpackCall } from '@countersign/domain';
import type { BundleText, PolicyBundle } from '@countersign/policy';
import { bundlesAhead, TenantMappings } from '@countersign/process';
import { type Cursor, listCalls, parseCursor } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { EarlierHistory } from './earlier-history.js';
import { PolicyService } from './policy.service.js';
import { noSuchPolicy } from './published-policies.service.js';
import { type SimulatedAt, Simulation, type SimulationReport } from './simulation.js';
import { type ReportProof, SimulationReports } from './simulation-reports.js';
import type { SimulateRequest } from './simulations.schemas.js';

const PAGE = 500;

/** Evaluates a draft on recorded calls. Changes nothing. */
@Injectable()
export class SimulationsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly policies: PolicyService,
    private readonly reports: SimulationReports,
    private readonly views: Views,
  ) {}

  async simulate(
    tenant_id: string,
    body: SimulateRequest,
    seen: Seen,
  ): Promise<(SimulationReport & { simulation: ReportProof }) | Refusal> {
    const case_id = body.case_id && resolveCaseId(tenant_id, body.case_id);
    if (body.case_id && case_id === undefined) return badReference('/case_id');
    const request = { ...body, case_id };
    const draft = await this.draft(tenant_id, request);
    if (draft instanceof Refusal) return draft;
    if (!(await this.views.current(seen))) return viewsBehind();
    const report = await this.report(tenant_id, request, draft);
    return { ...report, simulation: this.reports.prove(tenant_id, report) };
  }

  private async draft(tenant_id: string, { bundle, version = '' }: SimulateRequest): Promise<BundleText | Refusal> {
    if (bundle) return this.policies.text(tenant_id, 'draft', bundle as PolicyBundle);
    return this.policies.shelf(tenant_id).versions.get(version) ?? noSuchPolicy(version);
  }

  private async report(tenant_id: string, request: SimulateRequest, draft: BundleText): Promise<SimulationReport> {
    await bundlesAhead.compile(draft);
    const by = { rulings: this.policies.rulings, mappings: new TenantMappings(this.configuration) };
    const simulation = new Simulation(by, tenant_id, draft, this.at(tenant_id));
    const earlier = new EarlierHistory(this.views.store, tenant_id);
    for await (const calls of this.recorded(tenant_id, request))
      for (const call of await this.views.readable.states(tenant_id, calls))
        await simulation.judge(this.configuration.state, call, await this.history(tenant_id, call, draft, earlier));
    return simulation.report;
  }

  private at(tenant_id: string): SimulatedAt {
    const made_at = new Date(this.configuration.now_ms()).toISOString();
    return { made_at, config_offset: this.configuration.state.config_offset, active: this.policies.shelf(tenant_id).active };
  }

  /** The history of earlier calls, if a rule of the draft reads it. */
  private async history(tenant_id: string, state: CallState, draft: BundleText, earlier: EarlierHistory): Promise<string | undefined> {
    const { call } = state;
    const tool = call && catalogued(this.configuration.state, tenant_id, call.tool, call.version);
    const uses = tool && this.policies.rulings.historyRequested(this.configuration.state, tenant_id, tool.contract, draft);
    return uses ? earlier.of(state, uses) : undefined;
  }

  /** The selected calls in pages, newest first. */
  private async *recorded(tenant_id: string, { call_ids, case_id, from, to, limit }: SimulateRequest): AsyncGenerator<CallState[]> {
    if (call_ids) {
      const found = await Promise.all(call_ids.map((call_id) => this.views.call(tenant_id, call_id)));
      yield found.filter((call) => call !== undefined);
      return;
    }
    const range = {
      ...(case_id ? { case_id } : {}),
      ...(from === undefined ? {} : { from_ms: from }),
      ...(to === undefined ? {} : { to_ms: to }),
    };
    let after: Cursor | undefined;
    for (let left = limit; left > 0; ) {
      const page = { tenant_id, limit: Math.min(left, PAGE), ...range, ...(after ? { after } : {}) };
      const { items, next_cursor } = await listCalls(this.views.store, page);
      yield items.map(({ state }) => unpackCall(state));
      left -= items.length;
      after = next_cursor === null ? undefined : parseCursor(next_cursor);
      if (!after) return;
    }
  }
}
