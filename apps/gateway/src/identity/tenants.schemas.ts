import { z } from 'zod';
import { pageOfItems } from '../lists/page-query.js';

const settings = {
  lane: z.string().min(1).max(32).optional().describe('the lane of its calls: a set of topics with dedicated executors'),
  weight: z.int().min(1).max(1000).optional().describe('weight of the tenant in its lane, relative to other tenants'),
  running_max: z.int().min(1).max(100_000).optional().describe('maximum of calls that run at once'),
  in_flight_max: z.int().min(1).max(1_000_000).optional().describe('maximum of calls admitted and not ended; beyond it: 429'),
};

/** Body of `POST /v1/tenants`. */
export const tenantRequest = z
  .strictObject({ tenant_id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), ...settings })
  .meta({ id: 'NewTenant' });
/** Body of `PUT /v1/tenants/{tenant_id}`. */
export const tenantChange = z.strictObject(settings).meta({ id: 'TenantChange' });

export const tenantAnswer = z
  .object({
    tenant_id: z.string(),
    lane: z.string(),
    weight: z.int().describe('weight of the tenant in its lane, relative to other tenants'),
    running_max: z.int().describe('maximum of calls that run at once'),
    in_flight_max: z.int().describe('maximum of calls admitted and not ended'),
  })
  .meta({ id: 'Tenant' });

export const tenantPage = pageOfItems(tenantAnswer.extend({ etag: z.string() }).meta({ id: 'TenantListed' })).meta({ id: 'TenantPage' });

export type TenantRequest = z.infer<typeof tenantRequest>;
export type TenantChange = z.infer<typeof tenantChange>;
