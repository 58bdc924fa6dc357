import { Refusal } from '@countersign/calls';
import { type ConfigurationState, LOCAL_ISSUER, rolesLeft } from '@countersign/domain';
import type { WebhookRequest } from './webhooks.schemas.js';

/** Why a channel cannot act as the person that it names: this person must be able to vote now, with each of the roles. */
export function personFault(
  configuration: ConfigurationState,
  tenant_id: string,
  { acts_as, state }: WebhookRequest,
  now_ms: number,
): Refusal | undefined {
  if (!acts_as || state !== 'active') return undefined;
  const { id, roles, issuer = LOCAL_ISSUER } = acts_as;
  const left = rolesLeft(configuration, tenant_id, { issuer, id }, { roles, at_ms: now_ms, as: 'voter' });
  const means = issuer === LOCAL_ISSUER ? 'a key that is neither revoked nor expired' : `a recent token of ${issuer}`;
  const lacking = roles.flatMap((role, at) => (left && !left.includes(role) ? [{ role, at }] : []));
  if (left && lacking.length === 0) return undefined;
  const issues = left
    ? lacking.map(({ role, at }) => ({
        path: `/acts_as/roles/${at}`,
        code: 'not_live',
        message: `${id} does not have the role ${role} from ${means}`,
      }))
    : [{ path: '/acts_as/id', code: 'not_live', message: `${id} does not have ${means}` }];
  return new Refusal('invalid-request', '`acts_as` must be a person who can currently vote with these roles', { issues });
}
