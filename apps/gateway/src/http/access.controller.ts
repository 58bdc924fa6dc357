import { type Caller, Refusal } from '@countersign/calls';
import { partsAsked } from '@countersign/domain';
import { TenantMappings } from '@countersign/process';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { type Asked, type DryRuling, DryRulings } from '../policies/dry-rulings.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const properties = z.record(z.string(), z.json()).default({});
const id = z.string().min(1).max(300);

/**
 * AuthZEN 1.0. subject: who would call (`type` agent, user or service; `properties.roles`); action: the tool
 * (`name`, or `call` with the tool as the resource's id; `properties.version`); resource.properties and
 * action.properties.inputs: the inputs; context: the call's context.
 */
export const evaluationRequest = z.object({
  subject: z.object({ type: id, id, properties }),
  action: z.object({ name: id, properties }),
  resource: z.object({ type: id, id, properties }),
  context: z.record(z.string(), z.json()).default({}),
});

type Evaluation = z.infer<typeof evaluationRequest>;

/** `POST /v1/policies/tools/{tool}/resolve`: Korso's `tool_policy(customer, tool, inputs)`. Inputs that no call may have are refused as a call's are. */
export const resolveTierRequest = z.strictObject({
  inputs: z.record(z.string(), z.json()),
  version: z.string().max(64).optional(),
  case_id: z.string().max(200).nullable().default(null),
  context: z.record(z.string(), z.json()).default({}),
});

/** What would be ruled, asked without a call: AuthZEN's face, and the effective tier of a tool. Records nothing. */
@Controller()
export class AccessController {
  private readonly dry: DryRulings;

  constructor(
    private readonly face: Face,
    room: PolicyRoom,
  ) {
    this.dry = new DryRulings(room, new TenantMappings(room.configuration));
  }

  @Get('.well-known/authzen-configuration')
  configuration(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], () => {
      const origin = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
      return ok({ policy_decision_point: origin, access_evaluation_endpoint: `${origin}/access/v1/evaluation` });
    });
  }

  @Post('access/v1/evaluation')
  @HttpCode(200)
  evaluate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(evaluationRequest, request.body);
      if (body instanceof Refusal) return body;
      const asked = askedBy(body, caller);
      if (asked instanceof Refusal) return asked;
      const ruling = await this.dry.of(caller.tenant_id, asked);
      return ruling instanceof Refusal ? refusal({ code: ruling.kind, message: ruling.detail }) : evaluation(ruling);
    });
  }

  @Post('v1/policies/tools/:tool/resolve')
  @HttpCode(200)
  resolve(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(resolveTierRequest, request.body);
      if (body instanceof Refusal) return body;
      const { tool } = request.params as { tool: string };
      const { principal, authority, tenant_id } = caller;
      const ruling = await this.dry.of(tenant_id, { ...body, tool, version: body.version, principal, authority });
      return ruling instanceof Refusal ? ruling : (invalid(ruling) ?? ok({ tool, ...face(ruling) }));
    });
  }
}

/** Only those who keep or check the policy may ask about others than themselves. */
const ASK_FOR_OTHERS: readonly string[] = ['policy_admin', 'auditor', 'admin', 'operator'];

function askedBy({ subject, action, resource, context }: Evaluation, caller: Caller): Asked | Refusal {
  const { kind, id: own, roles } = caller.principal;
  const isSelf = subject.id === own && subject.type === kind;
  if (!isSelf && !roles.some((role) => ASK_FOR_OTHERS.includes(role)))
    return new Refusal('forbidden', 'asking about somebody else needs the role policy_admin, auditor or operator');
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

function face({ judgement, inputs_digest, mapped }: DryRuling): Record<string, unknown> {
  const { effect, tier, approval_mode_effective, rule, bundle_version, reason, explanation, approver_roles, quorum, defer } = judgement;
  const parts = partsAsked(judgement).map(({ rule: of, requirement }) => ({
    rule: of,
    approver_roles: requirement.approver_roles,
    people: requirement.people,
    quorum: requirement.quorum,
  }));
  const approval = effect === 'require_approval' ? { approver_roles, quorum, parts } : null;
  const ruled = { effect, tier, approval_mode_effective, rule, bundle_version: bundle_version ?? null, reason, approval };
  return { ...ruled, defer: defer ?? null, explanation: explanation ?? null, inputs_digest, mapped: mappedFace(mapped) };
}

/** The form that would run: a mapping may hold what the tenant knows of its systems, and a caller sees it in the envelope too. */
function mappedFace(mapped: DryRuling['mapped']): Record<string, unknown> | null {
  if (!mapped) return null;
  const { inputs_json, inputs_digest, mapping_version, warnings } = mapped;
  return { mapping_version, inputs_digest, inputs: JSON.parse(inputs_json), warnings };
}

/** Such a call would not be taken, whatever policy says. */
function invalid({ issues }: DryRuling): Refusal | undefined {
  const [first] = issues;
  return (
    first &&
    new Refusal('invalid-inputs', `${first.path || 'the inputs'}: ${first.message}`, {
      layer: issues.some(({ code }) => code === 'mapping') ? 'mapping' : 'input',
      issues,
    })
  );
}

const refusal = (reason: Record<string, unknown>): Answer => ok({ decision: false, context: { reason } });

/** `decision` is true only where the call would be taken and run by itself. */
function evaluation(ruling: DryRuling): Answer {
  const fault = invalid(ruling);
  if (fault) return refusal({ code: fault.kind, message: fault.detail, issues: ruling.issues });
  return ok({ decision: ruling.judgement.effect === 'allow', context: face(ruling) });
}
