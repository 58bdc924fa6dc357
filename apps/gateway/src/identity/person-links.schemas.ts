import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { principalId } from '../authentication/principal-id.js';
import { pageOfItems } from '../lists/page-query.js';

const relation = z.enum(['same', 'different']);
const WHO_VOUCHES = '`local` for a person with an API key, else the issuer of an identity provider';

const identity = z.strictObject({ issuer: z.string().min(1).max(500).describe(WHO_VOUCHES), subject: principalId });

/** Body of `PUT /v1/person-links/{link_id}`. */
export const personLinkRequest = z
  .strictObject({
    one: identity,
    other: identity,
    relation: relation.describe('same: both identities are one person; different: equal subjects are different persons'),
    reason: z.string().trim().min(1).max(500),
  })
  .meta({ id: 'NewPersonLink' });

const identityAnswer = z.object({ issuer: z.string().describe(WHO_VOUCHES), subject: z.string() }).meta({ id: 'PersonIdentity' });

export const personLink = z
  .object({
    link_id: z.string(),
    one: identityAnswer,
    other: identityAnswer,
    relation,
    reason: z.string(),
    changed_by: z.string(),
    changed_at: timeOf,
  })
  .meta({ id: 'PersonLink' });

export const personLinkPage = pageOfItems(personLink.extend({ etag: z.string() }).meta({ id: 'PersonLinkListed' })).meta({
  id: 'PersonLinkPage',
});

export type PersonLinkRequest = z.infer<typeof personLinkRequest>;
export type PersonLinkAnswer = z.infer<typeof personLink>;
