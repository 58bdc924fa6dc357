import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { principalId } from '../authentication/principal-id.js';
import { pageOfItems } from '../lists/page-query.js';

const names = z.array(z.string().min(1).max(200)).max(100);

/** Body of `POST /v1/delegations`. */
export const delegationRequest = z
  .strictObject({
    agent_id: principalId.describe('id of the agent that may act on your behalf'),
    scopes: names.optional().describe('absent: yours'),
    clearances: names.default([]),
    purposes: names.optional().describe('absent: yours'),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'NewDelegation' });

export const delegation = z
  .object({
    delegation_id: z.string(),
    user_id: z.string(),
    user_roles: z.array(z.string()),
    agent_id: z.string(),
    scopes: z.array(z.string()).nullable().describe('null: any'),
    clearances: z.array(z.string()),
    purposes: z.array(z.string()).nullable().describe('null: any'),
    user_issuer: z.string().nullable().describe('issuer of the identity of the user: local, or the issuer of an identity provider'),
    expires_at: timeOf.nullable(),
    changed_at: timeOf,
  })
  .meta({ id: 'Delegation' });

export const delegationPage = pageOfItems(delegation.extend({ etag: z.string() }).meta({ id: 'DelegationListed' })).meta({
  id: 'DelegationPage',
});

export type DelegationRequest = z.infer<typeof delegationRequest>;
export type DelegationAnswer = z.infer<typeof delegation>;
