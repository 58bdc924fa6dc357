import { z } from 'zod';
import { commaList } from '../lists/page-query.js';
import { type EventKind, eventKinds } from './event-kinds.js';

const cursor = z
  .string()
  .max(16_000)
  .regex(/^[\w-]+$/, 'is not a cursor of an event stream')
  .optional()
  .describe('resumes after an event: its id, or `cursor` of `ready` or `reset`. `Last-Event-ID` takes precedence');

/** Query of `GET /v1/events`. */
export const eventsQuery = z.strictObject({
  kinds: commaList(z.enum(eventKinds, { error: () => `is not a kind of events: use ${eventKinds.join(', ')}` }))
    .optional()
    .transform((kinds): ReadonlySet<EventKind> => new Set(kinds ?? eventKinds))
    .describe(`comma-separated; absent: all. Kinds: ${eventKinds.join(', ')}`),
  cursor,
});

export type EventsQuery = z.infer<typeof eventsQuery>;

/** Query of `GET /v1/approvals/events`. */
export const approvalEventsQuery = z.strictObject({ cursor });

export type ApprovalEventsQuery = z.infer<typeof approvalEventsQuery>;
