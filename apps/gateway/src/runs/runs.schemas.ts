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
    as_recorded: z.array(z.string()),
    erased: z.array(z.string()),
    terms: z.object({ from_ms: z.number(), until_ms: z.number(), allow_for_ms: z.number(), grant_for_ms: z.number() }),
  })
  .meta({ id: 'ReplayBundle' });

export type KeptTranscriptAnswer = z.infer<typeof keptTranscript>;
