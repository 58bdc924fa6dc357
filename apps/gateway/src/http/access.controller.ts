import { canonicalText, NO_CONTEXT } from '@countersign/contracts';
import type { RuledCall } from '@countersign/decisions';
import { resolveVersion, type ToolVersion } from '@countersign/domain';
import type { ResolvedRuling } from '@countersign/policy';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { Problem } from './problem.js';
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

/** `POST /v1/policies/tools/{tool}/resolve`: Korso's `tool_policy(customer, tool, inputs)`. */
export const resolveTierRequest = z.strictObject({
  inputs: z.record(z.string(), z.json()),
  version: z.string().max(64).optional(),
  case_id: z.string().max(200).nullable().default(null),
  context: z.record(z.string(), z.json()).default({}),
});

interface Asked {
  tool: string;
  version: string | undefined;
  inputs: unknown;
  principal: RuledCall['principal'];
  case_id: string | null;
  context: Record<string, unknown>;
}

/** What would be ruled, asked without a call: AuthZEN's face, and the effective tier of a tool. Records nothing. */
@Controller()
export class AccessController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

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
      if (body instanceof Problem) return body;
      const ruling = await this.ruling(caller, askedBy(body, caller));
      if (!(ruling instanceof Problem)) return evaluation(ruling);
      return ruling.kind === 'forbidden'
        ? ruling
        : ok({ decision: false, context: { reason: { code: ruling.kind, message: ruling.detail } } });
    });
  }

  @Post('v1/policies/tools/:tool/resolve')
  @HttpCode(200)
  resolve(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(resolveTierRequest, request.body);
      if (body instanceof Problem) return body;
      const { tool } = request.params as { tool: string };
      const ruling = await this.ruling(caller, { ...body, tool, version: body.version, principal: caller.principal });
      return ruling instanceof Problem ? ruling : ok({ tool, ...face(ruling) });
    });
  }

  private async ruling(caller: Caller, asked: Asked | Problem): Promise<ResolvedRuling | Problem> {
    if (asked instanceof Problem) return asked;
    const tool = this.version(caller.tenant_id, asked);
    if (tool instanceof Problem) return tool;
    const context = Object.fromEntries(
      Object.keys(NO_CONTEXT).map((field) => [field, asked.context[field] ?? null]),
    ) as unknown as RuledCall['context'];
    const call: RuledCall = {
      tool: tool.name,
      version: tool.version,
      context,
      principal: asked.principal,
      authority: asked.principal === caller.principal ? caller.authority : null,
      inputs_json: canonicalText(asked.inputs),
      case_id: asked.case_id,
    };
    const { tenant_id } = caller;
    const history_json = await this.history(tenant_id, tool, call);
    return this.room.rulings.resolve(this.room.configuration.state, { tenant_id, tool, call, history_json });
  }

  /** Of the calls so far, where a rule about the tool asks. */
  private async history(tenant_id: string, { contract }: ToolVersion, call: RuledCall): Promise<string | undefined> {
    const { state, clock } = this.room.configuration;
    const uses = this.room.rulings.historyAsked(state, tenant_id, contract);
    const lane = state.tenants.get(tenant_id)?.lane;
    if (!uses || lane === undefined) return undefined;
    const about = { ...call, run_id: call.context.run_id, lane };
    const [told] = await this.room.history.read([{ tenant_id, call: about, call_id: null, at_ms: clock.now_ms(), uses }]);
    return told;
  }

  private version(tenant_id: string, { tool, version }: Asked): ToolVersion | Problem {
    const found = resolveVersion(this.room.configuration.state, tenant_id, tool, version);
    return 'tool' in found ? found.tool : new Problem('unknown-tool', `there is no tool ${tool}${version ? ` ${version}` : ''}`);
  }
}

/** Only those who keep or check the policy may ask about others than themselves. */
const ASK_FOR_OTHERS: readonly string[] = ['policy_admin', 'auditor', 'admin', 'operator'];

function askedBy({ subject, action, resource, context }: Evaluation, caller: Caller): Asked | Problem {
  const { kind, id: own, roles } = caller.principal;
  const isSelf = subject.id === own && subject.type === kind;
  if (!isSelf && !roles.some((role) => ASK_FOR_OTHERS.includes(role)))
    return new Problem('forbidden', 'asking about somebody else needs the role policy_admin, auditor or operator');
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
    case_id: typeof case_id === 'string' ? case_id : null,
    context,
  };
}

function face({
  effect,
  tier,
  approval_mode_effective,
  rule,
  bundle_version,
  reason,
  explanation,
  approver_roles,
  quorum,
  defer,
}: ResolvedRuling) {
  const approval = effect === 'require_approval' ? { approver_roles, quorum } : null;
  return { effect, tier, approval_mode_effective, rule, bundle_version, reason, approval, defer, explanation };
}

/** `decision` is true only where the call would run by itself. */
function evaluation(ruling: ResolvedRuling): Answer {
  return ok({ decision: ruling.effect === 'allow', context: face(ruling) });
}
