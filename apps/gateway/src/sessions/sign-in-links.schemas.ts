import { z } from 'zod';
import { principalAnswer, timeOf } from '../answers/shared-schemas.js';

export const signInLink = z
  .object({
    link_id: z.string(),
    url: z.string().describe('open it in a browser on the machine of the gateway; shown once'),
    principal: principalAnswer.describe('the person whom it signs in'),
    expires_at: timeOf,
  })
  .meta({ id: 'SignInLink' });
