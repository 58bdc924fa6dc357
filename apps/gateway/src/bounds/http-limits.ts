import { itemsOf, metricsToken, TrustedProxies, wholeNumber } from '@countersign/process';
import { z } from 'zod';

/** The largest body that a route reads. */
export const BODY_BYTES_MAX = 1_048_576;
/** The largest body of a request without a key (`POST /v1/decisions`). */
export const KEYLESS_BODY_BYTES_MAX = 65_536;

/** Connections and bodies that one gateway accepts at once. */
export interface HttpLimits {
  connections_max: number;
  connections_per_address_max: number;
  body_bytes_max: number;
  body_bytes_per_address_max: number;
  body_bytes_per_tenant_max: number;
  headers_timeout_ms: number;
  /** Minimum rate of a body, averaged over ten seconds. */
  body_bytes_per_s_min: number;
  backlog: number;
  /** Addresses and ranges of reverse proxies whose `X-Forwarded-For` is trusted. */
  trusted_proxies: readonly string[];
  metrics_token: string | undefined;
}

const MIB = 1_048_576;

const proxies = z
  .string()
  .default('')
  .transform(itemsOf)
  .superRefine((ranges, context) => {
    const fault = TrustedProxies.faultOf(ranges);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** The variables. The body budget is never smaller than one whole body. */
export const httpSettings = {
  COUNTERSIGN_HTTP_CONNECTIONS_MAX: wholeNumber(1, 1_000_000)
    .default(8_192)
    .describe('maximum of open connections of the gateway; further ones are closed'),
  COUNTERSIGN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: wholeNumber(1, 1_000_000)
    .default(2_048)
    .describe('maximum of open connections of one client address'),
  COUNTERSIGN_HTTP_BODY_BYTES_MAX: wholeNumber(BODY_BYTES_MAX)
    .default(128 * MIB)
    .describe('maximum bytes of request bodies in flight; beyond it: 503'),
  COUNTERSIGN_HTTP_BODY_BYTES_PER_ADDRESS_MAX: wholeNumber(BODY_BYTES_MAX)
    .default(32 * MIB)
    .describe('the same for one client address; beyond it: 429'),
  COUNTERSIGN_HTTP_BODY_BYTES_PER_TENANT_MAX: wholeNumber(BODY_BYTES_MAX)
    .default(32 * MIB)
    .describe('the same for one tenant; beyond it: 429'),
  COUNTERSIGN_HTTP_HEADERS_TIMEOUT_MS: wholeNumber(1_000, 300_000).default(15_000).describe('time limit for the headers of a request'),
  COUNTERSIGN_HTTP_BODY_BYTES_PER_S_MIN: wholeNumber(1)
    .default(16_000)
    .describe('minimum rate of a request body, in bytes a second on average over 10 s'),
  COUNTERSIGN_HTTP_BACKLOG: wholeNumber(1, 65_535)
    .default(4_096)
    .describe('length of the accept queue; the kernel limit `somaxconn` applies too'),
  COUNTERSIGN_TRUSTED_PROXIES: proxies.describe(
    'addresses and ranges (`10.0.0.0/8`) of reverse proxies whose `X-Forwarded-For` names the client',
  ),
  COUNTERSIGN_METRICS_TOKEN: metricsToken,
};

const schema = z.object(httpSettings);

export function httpLimits(settings: z.output<typeof schema>): HttpLimits {
  return {
    connections_max: settings.COUNTERSIGN_HTTP_CONNECTIONS_MAX,
    connections_per_address_max: settings.COUNTERSIGN_HTTP_CONNECTIONS_PER_ADDRESS_MAX,
    body_bytes_max: settings.COUNTERSIGN_HTTP_BODY_BYTES_MAX,
    body_bytes_per_address_max: settings.COUNTERSIGN_HTTP_BODY_BYTES_PER_ADDRESS_MAX,
    body_bytes_per_tenant_max: settings.COUNTERSIGN_HTTP_BODY_BYTES_PER_TENANT_MAX,
    headers_timeout_ms: settings.COUNTERSIGN_HTTP_HEADERS_TIMEOUT_MS,
    body_bytes_per_s_min: settings.COUNTERSIGN_HTTP_BODY_BYTES_PER_S_MIN,
    backlog: settings.COUNTERSIGN_HTTP_BACKLOG,
    trusted_proxies: settings.COUNTERSIGN_TRUSTED_PROXIES,
    metrics_token: settings.COUNTERSIGN_METRICS_TOKEN,
  };
}

/** Limits without any setting. */
export const defaultHttpLimits: HttpLimits = httpLimits(schema.parse({}));
