import { lacking } from '@countersign/contracts';
import { calledName, resolveVersion } from '@countersign/domain';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { AuthenticatedRequest } from '../http/current-caller.decorator.js';
import { ProblemWithHeaders } from '../http/problem.js';

/** A scope that a challenge can name (RFC 6750). */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The name of the tool that a message calls. */
function calledTool(body: unknown): string | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined;
}

function challenge(tool: string, missing: readonly string[]): ProblemWithHeaders {
  const scope = missing.filter((one) => SCOPE_TOKEN.test(one)).join(' ');
  const header = `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
  const detail = `the token lacks the scopes ${missing.join(', ')} of the tool ${tool}`;
  return new ProblemWithHeaders('forbidden', detail, { reason: 'scope_missing', scopes: missing }, { 'www-authenticate': header });
}

/**
 * Challenges a token that lacks a scope of the tool that it calls: its client can get another one from the authorization server. A key
 * cannot, so its call gets the denial of policy.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly configuration: ConfigurationService) {}

  /** @throws {ProblemWithHeaders} `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const { caller, body } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const name = caller?.token && calledTool(body);
    if (!caller || !name) return true;
    const { state } = this.configuration;
    const found = resolveVersion(state, caller.tenant_id, calledName(state, caller.tenant_id, name), undefined);
    const missing = 'tool' in found ? lacking(found.tool.contract.scopes, caller.authority.scopes) : [];
    if (missing.length > 0) throw challenge(name, missing);
    return true;
  }
}
