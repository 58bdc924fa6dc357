import { z } from 'zod';

const states = ['ready', 'tampered', 'catching_up', 'log_full', 'log_failed', 'log_stalled', 'log_closed'] as const;

export const alive = z.object({ status: z.literal('alive') }).meta({ id: 'Alive' });

export const readiness = z
  .object({
    status: z.enum(states).describe('`tampered`: the gateway serves, but the record differs from its signature'),
    unhealthy_packs: z.array(z.string()).optional().describe('packs that the executors cannot use; absent: none'),
  })
  .meta({ id: 'Readiness' });
