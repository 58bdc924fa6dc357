import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

/** State of a circuit. */
export const circuitState = z
  .enum(['closed', 'open', 'half_open'])
  .describe('open: the version of the tool fails. half_open: one caller at a time may try it')
  .meta({ id: 'CircuitState' });

const circuit = z
  .object({
    tool: z.string(),
    version: z.string(),
    state: circuitState,
    openings: z.int().min(0).describe('openings in a row; 0: it is closed, and failed lately'),
    opened_at: timeOf.nullable(),
    half_open_at: timeOf.nullable().describe('when it becomes, or became, half-open'),
    outcomes: z
      .object({ succeeded: z.int().min(0), failed: z.int().min(0) })
      .describe('of the last minute; since the last opening, if it is open'),
  })
  .meta({ id: 'Circuit' });

export const circuitPage = pageOfItems(circuit).meta({ id: 'CircuitPage' });
export type CircuitAnswer = z.infer<typeof circuit>;
