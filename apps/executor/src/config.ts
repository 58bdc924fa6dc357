import { hostname } from 'node:os';
import { type Proxies, proxySettings } from '@countersign/outbound';
import { type Environment, flag, itemsOf, list, type ParsedConfig, readSettings, wholeNumber } from '@countersign/process';
import type { ChildRuntimeOptions } from '@countersign/runtimes';
import { z } from 'zod';
import { settingsFaults } from './pack-settings.js';
import { packs } from './packs.js';
import { placeOf } from './tool-runs/pack-places.js';
import { type UpstreamSettings, upstreamSettings, upstreamVariables } from './upstream-sessions/upstream-settings.js';
import type { ListingPace } from './upstreams/listing-schedule.js';

const DEFAULT_PACKS = 'workspace,git,patterns';
const names = packs.map((pack) => pack.name);

/** The variables of the executor. */
export const executorVariables = z.object({
  COUNTERSIGN_PACKS: list(DEFAULT_PACKS)
    .refine(
      (named) => named.every((name) => names.includes(name) || placeOf(name) !== undefined),
      `a comma-separated list of packs: ${names.join(', ')}, names of installed npm packages, or paths of existing modules and folders`,
    )
    .describe(
      'packs whose tools run: built-in ones by name, your own by the path of a module or folder (`./my-pack`) or by the name of an installed npm package (`@acme/tools`, [packs](../how-to/packs.md)); empty: none',
    ),
  COUNTERSIGN_PACKS_WATCH_MS: wholeNumber(0, 3_600_000)
    .default(2_000)
    .describe('how often the files of your own packs are looked at for new code; 0: never, new code is taken at the next start'),
  COUNTERSIGN_EXECUTOR_ID: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('name of the executor in leases and tool announcements; unset: host and process id'),
  COUNTERSIGN_RUNNING_MAX: wholeNumber(1, 10_000).default(512).describe('maximum number of calls of one lane that run at once'),
  COUNTERSIGN_WAITING_MAX: wholeNumber(1, 1_000_000)
    .default(20_000)
    .describe('calls of one lane that wait for a slot; at the limit the executor stops reading'),
  COUNTERSIGN_ENVIRONMENT: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'at most 64 of a-z 0-9 . _ -')
    .default('default')
    .describe('environment whose adapter version pins this executor uses'),
  COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: flag.describe('allow token endpoints at private addresses and over plain http'),
  COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: list('').describe(
    'hosts of private networks (`host` or `host:port`) that endpoints of registered tools may use, also with plain http',
  ),
  COUNTERSIGN_LEASE_MS: wholeNumber(500, 120_000).default(5000).describe('how long an executor may start effects after its last heartbeat'),
  COUNTERSIGN_CHILD_MEMORY_MB: wholeNumber(128, 65_536).default(1024).describe('memory limit of one child process of a custom pack'),
  COUNTERSIGN_CHILD_IDLE_MS: wholeNumber(1_000, 86_400_000).default(60_000).describe('an idle child process ends after this time'),
  COUNTERSIGN_CHILDREN_MAX: wholeNumber(1, 1_000)
    .default(16)
    .describe('maximum number of child processes at once, one per pack and tenant'),
  ...upstreamVariables,
});

/** Settings for running calls. */
export interface ExecutorConfig {
  /** Names of built-in packs, and paths of external modules. */
  packs: string[];
  /** Default: host and process id. */
  executor_id: string;
  /** Maximum of concurrent calls in a lane. */
  running_max: number;
  /** Maximum of calls that wait for a slot in a lane; beyond it no more records are read. */
  waiting_max: number;
  lease_ms: number;
  /** Lets token endpoints use loopback and private addresses, and plain http. */
  identity_allow_private?: boolean;
  /** Hosts of private networks that endpoints of tools may use, lower case; absent: none. */
  tool_endpoints_private?: readonly string[];
  /** Proxies for requests to token endpoints and endpoints of tools; absent: none. The http pack reads its own setting. */
  proxies?: Proxies;
  /** The environment variables, for the settings of packs. */
  environment: Environment;
  /** The name of this environment: adapters may be pinned to a version in it. */
  environment_name: string;
  lanes: string[];
  /** Time between two looks at the files of external packs; absent or 0: never. */
  packs_watch_ms?: number;
  /** Limits for the child processes of external packs; absent: the defaults. */
  children?: Partial<ChildRuntimeOptions>;
  /** Times between listings of upstreams; absent: LISTING_PACE. */
  listing_pace?: ListingPace;
  /** Sessions with upstream MCP servers; absent: no commands, no private hosts. */
  upstreams?: UpstreamSettings;
}

/** Settings of the executor; the lanes come from the platform settings. */
export function parseExecutorConfig(env: Environment, lanes: readonly string[]): ParsedConfig<ExecutorConfig> {
  const parsed = readSettings(executorVariables, env);
  // An empty list of packs means none, not the default.
  const none = env.COUNTERSIGN_PACKS === '';
  const named = none ? [] : 'config' in parsed ? parsed.config.COUNTERSIGN_PACKS : itemsOf(env.COUNTERSIGN_PACKS ?? DEFAULT_PACKS);
  const settings = settingsFaults(
    packs.filter(({ name }) => named.includes(name)),
    env,
    env.COUNTERSIGN_DATA_DIR || './.countersign',
  );
  const proxies = proxySettings(env);
  if ('fault' in proxies) settings.push(proxies.fault);
  if ('faults' in parsed || 'fault' in proxies || settings.length > 0)
    return { faults: [...('faults' in parsed ? parsed.faults : []), ...settings] };
  const value = parsed.config;
  return {
    config: {
      packs: named,
      executor_id: value.COUNTERSIGN_EXECUTOR_ID ?? `${hostname()}/${process.pid}`,
      running_max: value.COUNTERSIGN_RUNNING_MAX,
      waiting_max: value.COUNTERSIGN_WAITING_MAX,
      lease_ms: value.COUNTERSIGN_LEASE_MS,
      identity_allow_private: value.COUNTERSIGN_IDENTITY_ALLOW_PRIVATE,
      tool_endpoints_private: value.COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE.map((host) => host.toLowerCase()),
      proxies: proxies.proxies,
      environment: env,
      environment_name: value.COUNTERSIGN_ENVIRONMENT,
      lanes: [...lanes],
      packs_watch_ms: value.COUNTERSIGN_PACKS_WATCH_MS,
      children: {
        memory_mb: value.COUNTERSIGN_CHILD_MEMORY_MB,
        idle_ms: value.COUNTERSIGN_CHILD_IDLE_MS,
        children_max: value.COUNTERSIGN_CHILDREN_MAX,
      },
      upstreams: upstreamSettings(value),
    },
  };
}
