import { Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { type CallState, mappingMode, unpackCall } from '@countersign/domain';
import type { MappingDefinition } from '@countersign/mapping';
import { listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { definitionProblem, type TryRequest } from './mapping-request.js';
import { tryMapping } from './mapping-trial.js';
import type { MappingTrials } from './mappings.schemas.js';
import { MappingsService, noSuchMapping } from './mappings.service.js';

/** Tries mappings on recorded calls and on given documents. Sends nothing. */
@Injectable()
export class MappingTrialsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly mappings: MappingsService,
    private readonly views: Views,
  ) {}

  async try(tenant_id: string, request: TryRequest, seen: Seen): Promise<MappingTrials | Refusal> {
    const { tool } = request;
    const definition = this.mappings.unknown(tenant_id, tool) ?? this.definition(tenant_id, request);
    if (definition instanceof Refusal) return definition;
    if (request.calls_max > 0 && !(await this.views.current(seen))) return viewsBehind();
    const calls = await this.recorded(tenant_id, request);
    const trials = await tryMapping(definition, mappingMode(this.configuration.state, tenant_id), { ...request, calls });
    return { ...trials, needs_activation: this.mappings.reasonsFor(tenant_id, tool, definition) };
  }

  /** The newest calls of the tool. */
  private async recorded(tenant_id: string, { tool, calls_max }: TryRequest): Promise<readonly CallState[]> {
    if (calls_max === 0) return [];
    const { items } = await listCalls(this.views.store, { tenant_id, tool, limit: calls_max });
    return this.views.readable.states(
      tenant_id,
      items.map(({ state }) => unpackCall(state)),
    );
  }

  private definition(tenant_id: string, { tool, definition, version }: TryRequest): MappingDefinition | Refusal {
    if (definition) return definitionProblem(definition, '/definition') ?? definition;
    const versions = this.mappings.versionsOf(tenant_id, tool);
    const wanted = version === undefined ? versions.at(-1) : versions.find((one) => one.version === version);
    return wanted?.definition ? (wanted.definition as unknown as MappingDefinition) : noSuchMapping();
  }
}
