import { type Caller, Refusal } from '@countersign/calls';
import { TenantMappings } from '@countersign/process';
import { Injectable } from '@nestjs/common';
import { type DryRuling, type DryRulingQuery, DryRulings } from '../policies/dry-rulings.js';
import { PolicyService } from '../policies/policy.service.js';
import type { AccessRuling, EvaluationAnswer, EvaluationRequest, TierRequest } from './access.schemas.js';
import { inputsRefusal, rulingAnswer } from './ruling-answer.js';

/** Only these roles may ask about principals other than themselves. */
const ASK_FOR_OTHERS: readonly string[] = ['policy_admin', 'auditor', 'admin', 'operator'];

function requestedBy({ subject, action, resource, context }: EvaluationRequest, caller: Caller): DryRulingQuery | Refusal {
  const { kind, id: own, roles } = caller.principal;
  const isSelf = subject.id === own && subject.type === kind;
  if (!isSelf && !roles.some((role) => ASK_FOR_OTHERS.includes(role)))
    return new Refusal('forbidden', 'evaluating calls of another principal needs the role policy_admin, auditor or operator', {
      reason: 'role_missing',
    });
  const named = subject.properties.roles;
  const given = Array.isArray(named) ? named.filter((role): role is string => typeof role === 'string') : ['agent'];
  const known = subject.type === 'user' || subject.type === 'service' ? subject.type : 'agent';
  const { version, inputs } = action.properties;
  const { case_id } = context;
  return {
    tool: action.name === 'call' ? resource.id : action.name,
    version: typeof version === 'string' ? version : undefined,
    inputs: inputs ?? resource.properties,
    principal: isSelf ? caller.principal : { kind: known, id: subject.id, roles: given },
    authority: isSelf ? caller.authority : null,
    case_id: typeof case_id === 'string' ? case_id : null,
    context,
  };
}

const refused = ({ kind: code, detail: message }: Refusal, issues?: DryRuling['issues']): EvaluationAnswer => ({
  decision: false,
  context: { reason: { code, message, ...(issues ? { issues } : {}) } },
});

/** Evaluates policy for a hypothetical call. Records nothing. */
@Injectable()
export class AccessService {
  private readonly rulings: DryRulings;

  constructor(policies: PolicyService) {
    this.rulings = new DryRulings(policies, new TenantMappings(policies.configuration));
  }

  async evaluate(caller: Caller, request: EvaluationRequest): Promise<EvaluationAnswer | Refusal> {
    const query = requestedBy(request, caller);
    if (query instanceof Refusal) return query;
    const ruling = await this.rulings.of(caller.tenant_id, query);
    if (ruling instanceof Refusal) return refused(ruling);
    const fault = inputsRefusal(ruling);
    if (fault) return refused(fault, ruling.issues);
    return { decision: ruling.judgement.effect === 'allow', context: rulingAnswer(ruling) };
  }

  async tier(caller: Caller, tool: string, request: TierRequest): Promise<(AccessRuling & { tool: string }) | Refusal> {
    const { principal, authority, tenant_id } = caller;
    const ruling = await this.rulings.of(tenant_id, { ...request, tool, version: request.version, principal, authority });
    if (ruling instanceof Refusal) return ruling;
    return inputsRefusal(ruling) ?? { tool, ...rulingAnswer(ruling) };
  }
}
