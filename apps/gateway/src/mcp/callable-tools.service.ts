import type { Caller } from '@countersign/calls';
import { resolveVersion, type TenantToolVersion, toolNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { lacksRole } from '../authentication/authenticator.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { PolicyService } from '../policies/policy.service.js';

/** The tools that a principal may call under the policy in force. */
@Injectable()
export class CallableTools {
  constructor(private readonly policies: PolicyService) {}

  /** The version of each tool that a call without a version runs, by name. Tools whose every call policy denies are left out. */
  of(caller: Caller): TenantToolVersion[] {
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
