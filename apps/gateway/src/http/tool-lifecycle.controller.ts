import { type Caller, noSuchVersion, Refusal, Views } from '@countersign/calls';
import {
  type Evaluation,
  itemNames,
  promotionFault,
  stateOfVersion,
  suspension,
  type ToolVersion,
  toolVersions,
} from '@countersign/domain';
import { Controller, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { always } from '../configuration/configuration-edits.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { TrustRoom } from '../trust/trust-room.js';
import { Face } from './face.js';
import { seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';
import { versionFace } from './tool-record.js';

export const lifecycleRequest = z.strictObject({
  state: z.enum(['active', 'deprecated', 'blocked']),
  sunset_at: z.iso.datetime({ offset: true }).optional().describe('when a deprecated version ends; it is blocked from then on'),
  reason: z.string().min(1).max(1000).optional(),
  use_instead: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}@\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,64}$/, 'is name@version')
    .optional(),
});

export const pinRequest = z.strictObject({
  pin: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is 64 hex digits')
    .describe('`pin` of the version as it is registered now'),
});

export const auditRequest = z.strictObject({
  audit_status: z.enum(['unaudited', 'self_assessed', 'third_party']),
  auditor: z.string().min(1).max(300).optional().describe('who audited it'),
  report: z.string().min(1).max(1000).optional().describe('where the report is, or its digest'),
});

/** As `npm run tools:verify` writes it. */
export const evaluationRequest = z.strictObject({
  tool: z.string().min(1).max(128),
  version: z.string().min(1).max(64),
  contract_digest: z.string().regex(/^[0-9a-f]{64}$/, 'is 64 hex digits'),
  passed: z.int().min(0),
  failed: z.int().min(0),
  cases: z.array(z.strictObject({ title: z.string().max(500), passed: z.boolean(), message: z.string().max(5000).optional() })).max(2000),
  verified_at: z.iso.datetime({ offset: true }),
});

function countFault(evaluation: Pick<Evaluation, 'passed' | 'failed'> & { cases: readonly { passed: boolean }[] }): string | undefined {
  const passed = evaluation.cases.filter((each) => each.passed).length;
  const fits = evaluation.passed === passed && evaluation.failed === evaluation.cases.length - passed;
  return fits ? undefined : `the cases say ${passed} passed of ${evaluation.cases.length}`;
}

/** `/v1/tools/{name}/versions/{version}/…`: what is decided of a version, and the evidence for it. */
@Controller('v1/tools/:name/versions/:version')
export class ToolLifecycleController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly trust: TrustRoom,
    private readonly views: Views,
  ) {}

  @Put('lifecycle')
  lifecycle(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['tool_author', 'policy_admin'], async (caller) => {
      const body = parseBody(lifecycleRequest, request.body);
      if (body instanceof Refusal) return body;
      return this.decide(request, caller, body);
    });
  }

  @Put('pin')
  pin(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['tool_author', 'policy_admin'], async (caller) => {
      const body = parseBody(pinRequest, request.body);
      if (body instanceof Refusal) return body;
      const draft = () => {
        const tool = this.tool(request, caller);
        if (tool instanceof Refusal) return tool;
        const { pin, name, version } = tool;
        if (body.pin !== pin) return new Refusal('conflict', 'that is not the contract that is registered now: read it again', { pin });
        const fault = promotionFault(this.room.configuration.state, caller.tenant_id, tool);
        if (fault) return new Refusal('not-promoted', `${name}@${version} cannot be accepted: ${fault}`);
        return { tool: name, version, pin, by: caller.principal, changed_at_ms: this.now_ms() };
      };
      const edited = await this.room.editEverywhere(request, { ...this.itemOf(request, caller), type: 'tool_pin_set', draft });
      if (edited instanceof Refusal) return edited;
      return this.shown(request, caller, { ...edited.everywhere }, edited.etag);
    });
  }

  @Post('evaluations')
  evaluate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['tool_author'], async (caller) => {
      const body = parseBody(evaluationRequest, request.body);
      if (body instanceof Refusal) return body;
      const tool = this.tool(request, caller);
      if (tool instanceof Refusal) return tool;
      const { name, version, digest } = tool;
      if (body.tool !== name || body.version !== version) return new Refusal('invalid-request', 'the result is of another version');
      const fault = countFault(body);
      if (fault) return new Refusal('invalid-request', fault);
      if (body.contract_digest !== digest)
        return new Refusal('conflict', 'the result is of another contract than the one that is registered', { contract_digest: digest });
      const { contract_digest, passed, failed, cases, verified_at } = body;
      const at = await this.room.configuration.writer.set(caller.tenant_id, 'tool_evaluation_set', {
        tool: name,
        version,
        contract_digest,
        passed,
        failed,
        cases_json: JSON.stringify(cases),
        verified_at_ms: Date.parse(verified_at),
        by: caller.principal,
        changed_at_ms: this.room.configuration.clock.now_ms(),
      });
      this.views.answered.note(at);
      return { ...(await this.shown(request, caller, {}, this.etag(request, caller))), status: 201 };
    });
  }

  /** What a contract says of its own audit is a self-assessment: an audit by others is recorded by who keeps the evidence. */
  @Put('audit')
  audit(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['auditor'], async (caller) => {
      const body = parseBody(auditRequest, request.body);
      if (body instanceof Refusal) return body;
      const { audit_status, auditor = null, report = null } = body;
      const draft = () => {
        const tool = this.tool(request, caller);
        if (tool instanceof Refusal) return tool;
        if (audit_status === 'third_party' && (auditor === null || report === null))
          return new Refusal('invalid-request', 'an audit by a third party names its auditor and its report');
        const said = { tool: tool.name, version: tool.version, audit_status, auditor, report };
        return { ...said, by: caller.principal, changed_at_ms: this.now_ms() };
      };
      const edit = { ...this.itemOf(request, caller), type: 'tool_audit_set' as const, draft };
      const edited = await this.room.configuration.edits.edit(request, edit);
      if (edited instanceof Refusal) return edited;
      this.views.answered.note(edited.position);
      return this.shown(request, caller, {}, edited.etag);
    });
  }

  private now_ms(): number {
    return this.room.configuration.clock.now_ms();
  }

  private itemOf(request: HttpRequest, { tenant_id }: Caller): { tenant_id: string; item: string; exists: () => true } {
    const { name, version } = request.params as { name: string; version: string };
    return { tenant_id, item: itemNames.tool_version(name, version), exists: always };
  }

  private etag(request: HttpRequest, caller: Caller): string {
    const { tenant_id, item } = this.itemOf(request, caller);
    return this.room.configuration.edits.etag(tenant_id, item);
  }

  private tool(request: HttpRequest, caller: Caller): ToolVersion | Refusal {
    const { name, version } = request.params as { name: string; version: string };
    const found = toolVersions(this.room.configuration.state, caller.tenant_id, name).find(({ tool }) => tool.version === version);
    return found ? found.tool : noSuchVersion(this.room.configuration.state, caller.tenant_id, name, version);
  }

  /** A version runs (active or deprecated) only with a passed evaluation of the contract that it has now. */
  private lifecycleFault(caller: Caller, tool: ToolVersion, body: z.infer<typeof lifecycleRequest>): Refusal | undefined {
    const { state, clock } = this.room.configuration;
    if (body.state === 'blocked') return undefined;
    const ground = suspension(state, caller.tenant_id, tool) ?? promotionFault(state, caller.tenant_id, tool);
    if (ground) return new Refusal('not-promoted', `${tool.name}@${tool.version} cannot be ${body.state}: ${ground}`);
    if (body.sunset_at === undefined) return undefined;
    if (body.state === 'active') return new Refusal('invalid-request', 'only a deprecated version has a sunset_at');
    return Date.parse(body.sunset_at) <= clock.now_ms() ? new Refusal('invalid-request', 'sunset_at is in the past: block it') : undefined;
  }

  private async decide(request: HttpRequest, caller: Caller, body: z.infer<typeof lifecycleRequest>): Promise<Answer | Refusal> {
    const { state, sunset_at = null, reason = null, use_instead = null } = body;
    const draft = () => {
      const tool = this.tool(request, caller);
      if (tool instanceof Refusal) return tool;
      const sunset_at_ms = sunset_at === null ? null : Date.parse(sunset_at);
      const said = { tool: tool.name, version: tool.version, state, sunset_at_ms, reason, use_instead };
      return this.lifecycleFault(caller, tool, body) ?? { ...said, by: caller.principal, changed_at_ms: this.now_ms() };
    };
    const edited = await this.room.editEverywhere(request, { ...this.itemOf(request, caller), type: 'tool_lifecycle_set', draft });
    if (edited instanceof Refusal) return edited;
    const { tool: name, version, changed_at_ms } = edited.fields;
    const changed_at = new Date(changed_at_ms).toISOString();
    return ok({ name, version, state, sunset_at, reason, use_instead, changed_at, ...edited.everywhere }, { etag: edited.etag });
  }

  private async shown(request: HttpRequest, caller: Caller, told: object, etag: string): Promise<Answer> {
    const { state } = this.room.configuration;
    const tool = this.tool(request, caller);
    if (tool instanceof Refusal) return { status: 204 };
    await this.views.current(seenOf(request));
    const measured = await this.trust.measured(caller.tenant_id);
    const lifecycle = stateOfVersion(state, caller.tenant_id, tool);
    return ok({ ...versionFace(state, caller.tenant_id, { tool, lifecycle }, measured), ...told }, { etag });
  }
}
