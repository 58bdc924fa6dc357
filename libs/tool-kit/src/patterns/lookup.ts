import type { ErrorClass, ErrorCode } from '@countersign/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import type { PatternTraits } from './evidence.js';

/** The four failures of a lookup; callers branch on `details.exception`, `lookup.<kind>`. */
export type LookupFailure = 'not_found' | 'source_unavailable' | 'permission_denied' | 'stale_replica';

const failures: Readonly<Record<LookupFailure, { code: ErrorCode; class: ErrorClass; retryable: boolean }>> = {
  not_found: { code: 'PROVIDER_ERROR', class: 'not_found', retryable: false },
  source_unavailable: { code: 'PROVIDER_ERROR', class: 'transient', retryable: true },
  permission_denied: { code: 'AUTH_REQUIRED', class: 'authorization', retryable: false },
  stale_replica: { code: 'PROVIDER_ERROR', class: 'transient', retryable: true },
};

export function lookupError(kind: LookupFailure, message: string): ToolError {
  const { code, ...more } = failures[kind];
  return new ToolError(code, message, { ...more, effect: 'none', details: { exception: `lookup.${kind}` } });
}

export interface LookupRequest<S> {
  identifier: string;
  source: S;
  /** Epoch ms; null: now. */
  as_of_ms: number | null;
}

export interface Lookup<R extends z.ZodType, S extends z.ZodType<string>> extends PatternTraits {
  /** The owner of the record and the permitted purposes: a lookup must declare both. */
  scopes: [string, ...string[]];
  purposes: [string, ...string[]];
  source: S;
  record: R;
  /** @throws ToolError made by `lookupError`. */
  lookUp(request: LookupRequest<z.output<S>>, ctx: RunContext): Promise<{ record: z.input<R>; source_version: string }>;
  /** The current version of the source: results cached for another version are not returned. */
  versionOf?(source: z.output<S>, ctx: RunContext): Promise<string>;
}

/**
 * Pattern 2: resolves an identifier to the authoritative record of a source, as of a time. Reads external data; fails in four typed ways.
 */
export function defineLookup<R extends z.ZodType, S extends z.ZodType<string>>(definition: Lookup<R, S>): Tool {
  const { source, record, lookUp, versionOf, ...traits } = definition;
  return defineTool({
    ...traits,
    pattern: 'lookup',
    effect_class: 'read_external',
    input: z.strictObject({
      identifier: z.string().min(1).max(300),
      source: source as z.ZodType<string>,
      as_of: z.iso.datetime({ offset: true }).optional().describe('The record as it was at this time; now where absent.'),
    }),
    output: z.strictObject({
      identifier: z.string(),
      source: z.string(),
      /** Changes when anything in the source changes: results cached for another version are void. */
      source_version: z.string().min(1),
      as_of: z.string().nullable(),
      record: record as z.ZodType,
    }),
    ...(versionOf && { sourceVersion: ({ source: from }: { source: string }, ctx: RunContext) => versionOf(from as z.output<S>, ctx) }),
    run: async (input, ctx) => {
      const { identifier, source: from, as_of } = input;
      const as_of_ms = as_of === undefined ? null : Date.parse(as_of);
      const found = await lookUp({ identifier, source: from as z.output<S>, as_of_ms }, ctx);
      return { identifier, source: from, source_version: found.source_version, as_of: as_of ?? null, record: found.record };
    },
  });
}
