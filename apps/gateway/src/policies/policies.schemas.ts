import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { refusedBy } from '../http/validation.pipe.js';
import { pageOfItems } from '../lists/page-query.js';
import { bundleRefusal, publishRequest } from './bundle-request.js';

/** Body of `POST /v1/policies`; each fault names its rule. */
export const publishBody = refusedBy(publishRequest, bundleRefusal);

const version = z.string();
const policy = z
  .object({
    version,
    digest: z.string().describe('SHA-256 of the rules, hex'),
    active: z.boolean(),
    shadow: z.boolean().describe('evaluated alongside the active policy: recorded, never enforced'),
    published_by: z.string(),
    published_at: timeOf,
    simulation_digest: z.string().nullable().describe('digest of the simulation report that it was published with'),
  })
  .meta({ id: 'PolicySummary' });

export const policyPage = pageOfItems(policy).meta({ id: 'PolicyPage' });
export const policyRead = policy
  .extend({ bundle: z.record(z.string(), z.unknown()).describe('the published rules') })
  .meta({ id: 'Policy' });

export const policyFinding = z
  .object({ path: z.string(), code: z.string(), message: z.string(), rule: z.string(), reason: z.string() })
  .meta({ id: 'PolicyFinding' });
export const overridesAnswer = z
  .array(z.object({ rule: z.string(), overrides: z.array(z.string()) }))
  .describe('rules that allow calls for which other rules require an approval');

export const publishedPolicy = policy
  .extend({
    warnings: z.array(policyFinding).describe('what could not be checked, such as people of an identity provider'),
    overrides: overridesAnswer,
  })
  .meta({ id: 'PublishedPolicy' });

const activation = z.object({ version: version.nullable(), shadow: version.nullable(), by: z.string(), activated_at: timeOf });
export const activePolicy = z
  .object({
    version: version.nullable().describe('null: only the built-in rules and default tiers'),
    digest: z.string().nullable(),
    shadow: version.nullable(),
    history: z.array(activation.meta({ id: 'PolicyActivationEntry' })).describe('newest first'),
  })
  .meta({ id: 'ActivePolicy' });
export const changedActivePolicy = activePolicy.extend(everywhere).meta({ id: 'ChangedActivePolicy' });

export const policySettingsAnswer = z
  .object({ simulation_required: z.boolean(), single_policy_admin: z.boolean() })
  .meta({ id: 'PolicySettings' });

export type PolicySummary = z.infer<typeof policy>;
export type PublishedPolicy = z.infer<typeof publishedPolicy>;
export type ActivePolicy = z.infer<typeof activePolicy>;
export type PolicySettingsAnswer = z.infer<typeof policySettingsAnswer>;
