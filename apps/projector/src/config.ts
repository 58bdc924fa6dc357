import { readFileSync } from 'node:fs';
import { type ExportTopic, exportTopics } from '@countersign/contracts';
import { type Proxies, proxySettings } from '@countersign/outbound';
import { type Environment, list, type ParsedConfig, parsePlatformConfig, readSettings, wholeNumber } from '@countersign/process';
import { BadCertificate, type PinnedCertificate, pinnedCertificates } from '@countersign/timestamps';
import { z } from 'zod';

export interface ProjectorConfig {
  /** Lanes to fold; each is a consumer group. */
  lanes: string[];
  /** Number of partitions of a lane's topics, for the signer of checkpoints. */
  partitions?: number;
  /** Analytics topics to export. */
  exports?: readonly ExportTopic[];
  /** The time-stamping authority; absent: no timestamps. */
  timestamps?: TimestampConfig;
}

export interface TimestampConfig {
  url: string;
  pinned: readonly PinnedCertificate[];
  every_ms: number;
  proxies: Proxies;
}

/** `trust-view` may be listed although it is always written. */
const known: readonly string[] = [...exportTopics, 'trust-view'];

/** The variables of the projector. */
export const projectorVariables = z.object({
  COUNTERSIGN_EXPORTS: list('')
    .superRefine((named, context) => {
      const unknown = named.filter((name) => !known.includes(name)).join(', ');
      if (unknown === '') return;
      const message = `${unknown.slice(0, 200)}: unknown export; known exports: ${known.join(', ')}`;
      context.addIssue({ code: 'custom', message });
    })
    .describe('topics that the projector publishes for analysts: `audit-view`, `case-history-view` ([auditors](../how-to/auditors.md))'),
  COUNTERSIGN_TIMESTAMP_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'time-stamping authority (RFC 3161 over HTTP) that timestamps checkpoints ([auditors](../how-to/auditors.md#timestamps)); unset: none',
    ),
  COUNTERSIGN_TIMESTAMP_CERTIFICATE: z
    .string()
    .optional()
    .describe(
      "file with the authority's own certificate in PEM, or several; required with the URL: a token of another certificate is not kept",
    ),
  COUNTERSIGN_TIMESTAMP_EVERY_S: wholeNumber(1, 86_400)
    .default(3_600)
    .describe('seconds from one timestamp to the next; only the newest checkpoint is timestamped, which covers all before it'),
});

/** Reads the pinned certificates; else returns a fault. */
function readPinned(file: string): readonly PinnedCertificate[] | string {
  try {
    return pinnedCertificates(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof BadCertificate ? cause.message : `the file cannot be read: ${(cause as Error).message}`;
    return `COUNTERSIGN_TIMESTAMP_CERTIFICATE: ${reason.slice(0, 300)}`;
  }
}

type Variables = z.output<typeof projectorVariables>;

/** The settings of timestamps; undefined if there are none, or faults. */
function timestampsIn(settings: Variables, env: Environment): TimestampConfig | undefined | string[] {
  const { COUNTERSIGN_TIMESTAMP_URL: url, COUNTERSIGN_TIMESTAMP_CERTIFICATE: file, COUNTERSIGN_TIMESTAMP_EVERY_S: every_s } = settings;
  if (url === undefined && file === undefined) return undefined;
  if (url === undefined || file === undefined)
    return [
      'COUNTERSIGN_TIMESTAMP_URL, COUNTERSIGN_TIMESTAMP_CERTIFICATE: set both, or neither; a token is kept only if its certificate is known',
    ];
  const proxies = proxySettings(env);
  const pinned = readPinned(file);
  if ('fault' in proxies) return [proxies.fault];
  return typeof pinned === 'string' ? [pinned] : { url, pinned, every_ms: every_s * 1000, proxies: proxies.proxies };
}

export function parseProjectorConfig(env: Environment): ParsedConfig<ProjectorConfig> {
  const own = readSettings(projectorVariables, env);
  const platform = parsePlatformConfig(env);
  if ('faults' in own || 'faults' in platform)
    return { faults: [platform, own].flatMap((parsed) => ('faults' in parsed ? parsed.faults : [])) };
  const timestamps = timestampsIn(own.config, env);
  if (Array.isArray(timestamps)) return { faults: timestamps };
  const { lanes, partitions } = platform.config;
  const named = own.config.COUNTERSIGN_EXPORTS;
  const exports = exportTopics.filter((topic) => named.includes(topic));
  return { config: { lanes, partitions, exports, ...(timestamps ? { timestamps } : {}) } };
}
