import { badReference, CompiledContracts, callContext, costLeft, type Issue, isTooDeep, noSuchCase, Refusal } from '@countersign/calls';
import {
  type Authority,
  canonicalText,
  type MappedInputs,
  NO_CONTEXT,
  type Principal,
  sha256Hex,
  type ToolCall,
} from '@countersign/contracts';
import { type CallToJudge, type Judged, judgeCall, unmappable } from '@countersign/decisions';
import { caseOf, resolveCaseId, resolveVersion, type ToolVersion, tenantOf } from '@countersign/domain';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import { bodyProblem } from '../requests/body-issues.js';
import type { PolicyService } from './policy.service.js';

/** A hypothetical call to evaluate. */
export interface DryRulingQuery {
  tool: string;
  version: string | undefined;
  inputs: unknown;
  principal: Principal;
  authority: Authority | null;
  case_id: string | null;
  /** Fields of a call's context; others are omitted. */
  context: Readonly<Record<string, unknown>>;
}

export interface DryRuling {
  judgement: Judged['judgement'];
  /** Digest (hex) of the canonical inputs after defaults and caps. */
  inputs_digest: string;
  /** The mapped inputs, if a mapping is in force. */
  mapped: MappedInputs | null;
  /** Why a call with these inputs would be refused; empty if it would be accepted. */
  issues: Issue[];
}

/**
 * Evaluates the policy for a hypothetical call, with the same function and the guards that need no counter. Counters, rates and
 * prerequisites are not checked, and nothing is recorded or consumed.
 */
export class DryRulings {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly policies: PolicyService,
    private readonly mappings: TenantMappings,
  ) {}

  /** @returns a problem if the call would be rejected for a reason other than its inputs. @throws InfrastructureFault */
  async of(tenant_id: string, request: DryRulingQuery): Promise<DryRuling | Refusal> {
    const case_id = request.case_id === null ? null : resolveCaseId(tenant_id, request.case_id);
    if (case_id === undefined) return badReference('/case_id');
    const query = { ...request, case_id };
    const { state, clock } = this.policies.configuration;
    const tool = this.version(tenant_id, query);
    if (tool instanceof Refusal) return tool;
    const issues = this.checked(tool, query.inputs);
    if (issues instanceof Refusal) return issues;
    if (query.case_id !== null && !caseOf(state, tenant_id, query.case_id)) return noSuchCase(request.case_id ?? undefined);
    const call = this.call(tenant_id, tool, query);
    if (call instanceof Refusal) return call;
    const mapped = await this.mapped(tenant_id, call);
    if (mapped && isUnmappable(mapped)) issues.push(...mapped.issues.map(({ path, message }) => ({ path, code: 'mapping', message })));
    else call.mapped = mapped;
    const history_json = await this.history(tenant_id, tool, call);
    const { judgement, inputs_json, mapped: lowered } = await this.judged({ tenant_id, call, at_ms: clock.now_ms(), history_json });
    const inputs_digest = inputs_json === undefined ? call.inputs_digest : sha256Hex(inputs_json);
    return { judgement, inputs_digest, issues, mapped: lowered ?? call.mapped };
  }

  private async mapped(tenant_id: string, call: ToolCall, inputs_json = call.inputs_json): Promise<MappedInputs | Unmappable | null> {
    return (await this.mappings.inputs(tenant_id, call, inputs_json)) ?? null;
  }

  /** The decision. Inputs that a cap lowers are mapped and evaluated again. */
  private async judged(query: CallToJudge): Promise<Judged> {
    const { rulings, configuration } = this.policies;
    const judged = judgeCall(rulings, configuration.state, query);
    const { unmapped_json: inputs_json } = judged;
    if (inputs_json === undefined) return judged;
    const mapped = await this.mapped(query.tenant_id, query.call, inputs_json);
    if (mapped === null) return judged;
    if (isUnmappable(mapped)) return unmappable(configuration.state, query.call, mapped.mapping_version, mapped.issues);
    return judgeCall(rulings, configuration.state, { ...query, remapped: { inputs_json, mapped } });
  }

  private version(tenant_id: string, { tool, version }: DryRulingQuery): ToolVersion | Refusal {
    const found = resolveVersion(this.policies.configuration.state, tenant_id, tool, version);
    return 'tool' in found ? found.tool : new Refusal('unknown-tool', `the tool ${tool}${version ? ` ${version}` : ''} does not exist`);
  }

  /** The faults of the inputs. Fills in defaults, as for a call. */
  private checked(tool: ToolVersion, inputs: unknown): Issue[] | Refusal {
    if (inputs === null || typeof inputs !== 'object' || Array.isArray(inputs))
      return new Refusal('invalid-request', 'the inputs must be an object', {
        issues: [{ path: '', code: 'type', message: 'must be object' }],
      });
    if (isTooDeep(inputs)) return new Refusal('invalid-inputs', 'the inputs are nested too deeply', { layer: 'input', issues: [] });
    const check = this.contracts.of(tool);
    if (typeof check === 'string')
      return new Refusal('conflict', `the input schema of ${tool.name}@${tool.version} cannot be used: ${check}`, {
        reason: 'tool_schema_unusable',
      });
    return check(inputs as Record<string, unknown>);
  }

  private call(tenant_id: string, { name, version, contract, digest }: ToolVersion, query: DryRulingQuery): ToolCall | Refusal {
    const given = Object.entries(query.context).filter(([field, value]) => field in NO_CONTEXT && value !== null);
    const read = callContext.safeParse(Object.fromEntries(given));
    if (!read.success) return bodyProblem(read.error, ['context']);
    let inputs_json: string;
    try {
      inputs_json = canonicalText(query.inputs);
    } catch (cause) {
      return new Refusal('invalid-inputs', cause instanceof Error ? cause.message : 'the inputs have no canonical JSON form', {
        layer: 'input',
        issues: [],
      });
    }
    const { state, clock } = this.policies.configuration;
    const inputs_digest = sha256Hex(inputs_json);
    const { principal, authority, case_id } = query;
    const context = { ...NO_CONTEXT, ...read.data, run_budget: costLeft({ context: read.data }) };
    const { effect_class, category } = contract;
    const about = { tool: name, version, effect_class, category, contract_digest: digest, inputs_json, inputs_digest };
    // A hypothetical call has no effect and so no idempotency key.
    const noKey = {
      idempotency_key: '',
      key_source: 'call' as const,
      discriminating_digest: inputs_digest,
      window_ms: 0,
      occurrence: null,
    };
    const rest = { deadline_ms: null, callback_url: null, requested_at_ms: clock.now_ms(), sealed: null, mapped: null };
    const lane = tenantOf(state, tenant_id)?.lane ?? '';
    return { ...about, ...noKey, ...rest, case_id, run_id: context.run_id, principal, context, lane, authority };
  }

  /** The call history, if a rule about the tool reads it. */
  private async history(tenant_id: string, { contract }: ToolVersion, call: ToolCall): Promise<string | undefined> {
    const { state, clock } = this.policies.configuration;
    const uses = this.policies.rulings.historyRequested(state, tenant_id, contract);
    if (!uses || call.lane === '') return undefined;
    const [history_json] = await this.policies.history.read([{ tenant_id, call, call_id: null, at_ms: clock.now_ms(), uses }]);
    return history_json;
  }
}
