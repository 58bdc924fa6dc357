import type { Caller } from '@countersign/calls';
import { aliasedTool, resolveVersion, type TenantToolVersion, toolNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { lacksRole } from '../authentication/authenticator.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { PolicyService } from '../policies/policy.service.js';

/** A list holds for this long even if the configuration does not change: rules may depend on the time. */
const HOLDS_MS = 1_000;

interface Judged {
  /** The position of the configuration that it was judged by. */
  position: string;
  until_ms: number;
  tools: TenantToolVersion[];
}

/** The tools that a principal may call under the policy in force. */
@Injectable()
export class CallableTools {
  /** Callers of a credential are the same object: a client that lists in a loop costs one list a second. */
  private readonly judged = new WeakMap<Caller, Judged>();

  constructor(private readonly policies: PolicyService) {}

  /** Changes with everything that a list depends on, but the time. */
  get position(): string {
    const { config_offset, catalog_offset } = this.policies.configuration.state;
    return `${config_offset}/${catalog_offset}`;
  }

  /** The version of each tool that a call without a version runs, by name. Tools whose every call policy denies are left out. */
  of(caller: Caller): readonly TenantToolVersion[] {
    const { position } = this;
    const known = this.judged.get(caller);
    const now_ms = performance.now();
    if (known?.position === position && now_ms < known.until_ms) return known.tools;
    const tools = this.judge(caller);
    this.judged.set(caller, { position, until_ms: now_ms + HOLDS_MS, tools });
    return tools;
  }

  /** Those of them that have an alias. */
  aliased(caller: Caller): readonly TenantToolVersion[] {
    const { state } = this.policies.configuration;
    return this.of(caller).filter(({ tool: { name, contract } }) => {
      const alias = contract.upstream?.alias?.name;
      return alias !== undefined && aliasedTool(state, caller.tenant_id, alias)?.name === name;
    });
  }

  private judge(caller: Caller): TenantToolVersion[] {
    if (lacksRole(caller, SUBMITTERS)) return [];
    const { state } = this.policies.configuration;
    return toolNames(state, caller.tenant_id).flatMap((name) => {
      const found = resolveVersion(state, caller.tenant_id, name, undefined);
      return found.kind === 'found' && this.mayCall(caller, found) ? [{ tool: found.tool, lifecycle: found.lifecycle }] : [];
    });
  }

  private mayCall({ tenant_id, principal, authority }: Caller, { tool }: TenantToolVersion): boolean {
    const { rulings, configuration } = this.policies;
    return !rulings.deniesAll(configuration.state, { tenant_id, tool, principal, authority });
  }
}
