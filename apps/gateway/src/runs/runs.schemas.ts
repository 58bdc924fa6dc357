import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

export const runId = z.string().regex(/^.{1,200}$/s, 'a run_id has 1 to 200 characters');

export const keptTranscript = z
  .object({
    run_id: z.string(),
    blob: z.string().describe('name of the blob that holds it'),
    bytes: z.int(),
    messages: z.int(),
    digest: z.string().describe('SHA-256 (hex) of the stored transcript'),
    kept_at: timeOf,
  })
  .meta({ id: 'KeptTranscript' });

const event = z.unknown().describe('an event as recorded on the log');

/** Canonical JSON, see libs/decisions, replay-bundle.ts. */
export const replayBundle = z
  .object({
    format: z.string(),
    tenant_id: z.string(),
    run_id: z.string(),
    transcript: z.unknown(),
    tools: z.array(z.object({ name: z.string(), version: z.string(), digest: z.string(), contract: z.unknown() })),
    calls: z.array(z.object({ call_id: z.string(), envelope: z.unknown(), decided: z.unknown() })),
    configuration: z.array(event),
    trust: z.array(event),
    records: z.array(event),
    counted_elsewhere: z
      .object({
        calls: z.int().describe('number of other calls that share limits with the run'),
        asks: z.array(
          z.object({
            call_id: z.string(),
            revision: z.int(),
            ask: z.int().describe('the n-th time that this revision asked limits'),
            sums: z.array(
              z.object({
                counter: z.string(),
                slot_ms: z.number(),
                window_ms: z.number().nullable(),
                added_micro: z.number(),
                removed_micro: z.number(),
              }),
            ),
          }),
        ),
        records: z
          .object({
            count: z.int(),
            event_ids_sha256: z.string().describe('SHA-256 (hex) of their event ids, sorted, one a line'),
            places: z.array(z.object({ topic: z.string(), partition: z.int(), first_offset: z.int(), last_offset: z.int() })),
          })
          .describe('the records that the sums were made of: proofs of exactly these prove them'),
      })
      .describe('what other calls counted before each decision, as sums in millionths; nothing in the bundle proves them'),
    as_recorded: z.array(z.string()),
    erased: z.array(z.string()),
    terms: z.object({ from_ms: z.number(), until_ms: z.number(), allow_for_ms: z.number(), grant_for_ms: z.number() }),
  })
  .meta({ id: 'ReplayBundle' });

export type KeptTranscriptAnswer = z.infer<typeof keptTranscript>;
