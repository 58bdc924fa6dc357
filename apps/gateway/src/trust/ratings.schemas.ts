import { subjectsRequest } from '@countersign/calls';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

export const ratingRequest = z.strictObject({
  rating: z.number().min(0).max(5).describe('stars'),
  version: z.string().min(1).max(64).optional().describe('the version that was used; absent: the newest active one'),
  comment: z.string().min(1).max(2000).optional(),
  subjects: subjectsRequest,
});

export const ratingAnswer = z
  .object({
    rating: z.number(),
    comment: z.string().nullable(),
    rater: z.string().describe('the rater that it counts for: `<kind>:<id>`'),
    version: z.string(),
    by: z.object({ kind: z.string(), id: z.string() }),
    rated_at: timeOf.nullable(),
  })
  .meta({ id: 'Rating' });

export const ratingPage = pageOfItems(ratingAnswer).meta({ id: 'RatingPage' });

export type RatingRequest = z.infer<typeof ratingRequest>;
export type RatingAnswer = z.infer<typeof ratingAnswer>;
