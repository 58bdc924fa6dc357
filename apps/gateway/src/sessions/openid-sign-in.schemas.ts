import { DEFAULT_TENANT } from '@countersign/contracts';
import { z } from 'zod';
import { localPath } from './return-to.js';

const tenantId = z.string().min(1).max(100);

export const providersQuery = z.strictObject({ tenant_id: tenantId.optional().describe('absent: of all tenants') });

/** Query of `GET /v1/session/openid/{provider_id}`. */
export const openIdStart = z.strictObject({
  tenant_id: tenantId.default(DEFAULT_TENANT).describe('the tenant of the provider'),
  return_to: z
    .string()
    .default('/')
    .refine((text) => localPath(text) !== undefined, 'must be a path of this gateway, such as /approvals')
    .describe('path to which the browser returns'),
});

export const signInProviders = z
  .object({
    items: z.array(z.object({ provider_id: z.string(), tenant_id: z.string(), name: z.string().describe('shown to the person') })),
  })
  .meta({ id: 'SignInProviders' });
