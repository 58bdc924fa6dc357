import { type EventCodec, firstMeta, type ToolRegistered } from '@countersign/contracts';
import { type ConfigurationState, catalogued, type RefusedRegistration, refusalKey } from '@countersign/domain';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { type Logger, securityRecord } from '@countersign/process';
import type { LoadedTool } from './tool-runs/loaded-tool.js';

/** The announcing executor, its environment and the time. */
export interface Announcement {
  /** The tenant that alone has the tools; null: all tenants have them. */
  tenant_id: string | null;
  executor_id: string;
  lanes: readonly string[];
  environment: string;
  now_ms: number;
}

/** The catalog as this process folds it. */
export interface FoldedCatalog {
  readonly state: ConfigurationState;
  folded(topic: string, offset: number): Promise<void>;
}

function refusalOf(catalog: ConfigurationState, tenant_id: string | null, tool: LoadedTool): RefusedRegistration | undefined {
  const { contract, digest } = tool;
  const refused = catalog.refused.get(refusalKey(tenant_id, contract.name, contract.version));
  return refused?.digest === digest ? refused : undefined;
}

function holds(catalog: ConfigurationState, tool: LoadedTool, { tenant_id, lanes, environment }: Announcement): boolean {
  if (refusalOf(catalog, tenant_id, tool)) return true;
  const known = catalogued(catalog, tenant_id ?? '', tool.contract.name, tool.contract.version);
  if (known?.digest !== tool.digest || !lanes.every((lane) => known.lanes.has(lane))) return false;
  const { adapter, adapter_version, gated, evaluation_json } = tool.origin;
  const sameAdapter = known.runs_on.adapter === adapter && known.runs_on.adapter_version === adapter_version;
  const news = evaluation_json !== null && known.evaluation?.contract_digest !== tool.digest;
  return sameAdapter && known.runs_on.environment === environment && known.gated === gated && !news;
}

function registration(tool: LoadedTool, { tenant_id, executor_id, lanes, environment, now_ms }: Announcement): ToolRegistered {
  const { name, version } = tool.contract;
  const { is_tenants: _local, ...origin } = tool.origin;
  return {
    meta: firstMeta(tenant_id ?? '', now_ms),
    name,
    version,
    digest: tool.digest,
    contract_json: JSON.stringify(tool.contract),
    lanes: [...lanes],
    executor_id,
    registered_at_ms: now_ms,
    ...origin,
    environment,
    protocol_version: null,
    only_tenant: tenant_id,
  };
}

const record = (topic: string, event_type: string, key: string, value: Buffer): NewRecord => ({
  topic,
  partition: 0,
  key,
  value,
  headers: { event_type },
});

/** Reports which registrations were refused: as a security event once, when they are announced, and in the log at each start. */
async function tellRefusals(
  { log, codec, logger }: { log: EventLog; codec: EventCodec; logger: Logger },
  tools: readonly LoadedTool[],
  announced: ReadonlySet<LoadedTool>,
  { catalog, tenant_id, now_ms }: Pick<Announcement, 'tenant_id' | 'now_ms'> & { catalog: ConfigurationState },
): Promise<void> {
  const events: NewRecord[] = [];
  for (const tool of tools) {
    const refused = refusalOf(catalog, tenant_id, tool);
    if (!refused) continue;
    const { name, version, against, differences } = refused;
    logger.error(
      { event: 'tool_registration_refused', tool: name, version, against, differences },
      'a tool is not registered: its contract breaks the compatibility that its version number promises',
    );
    if (!announced.has(tool)) continue;
    const detail = JSON.stringify({ tool: name, version, against, differences });
    const event = {
      meta: firstMeta(tenant_id ?? '', now_ms),
      kind: 'registration_refused',
      detail,
      principal: null,
      recorded_at_ms: now_ms,
    };
    events.push(securityRecord(codec, `${name}@${version}`, event));
  }
  if (events.length > 0) await log.append(events);
}

/**
 * Announces contracts on `tool-registered` that the catalog lacks or has differently, and reports those that were refused because they
 * break the compatibility that their version number promises. @returns the number of announcements.
 */
export async function announceTools(
  io: { log: EventLog; codec: EventCodec; logger: Logger },
  tools: Iterable<LoadedTool>,
  catalog: FoldedCatalog,
  announcement: Announcement,
): Promise<number> {
  const all = [...tools];
  const news = all.filter((tool) => !holds(catalog.state, tool, announcement));
  const records = news.map((tool) => {
    const event = registration(tool, announcement);
    return record('tool-registered', 'tool_registered', `${event.name}@${event.version}`, io.codec.encode('tool_registered', event));
  });
  if (records.length > 0) {
    const offsets = await io.log.append(records);
    await catalog.folded('tool-registered', Math.max(...offsets));
  }
  await tellRefusals(io, all, new Set(news), { ...announcement, catalog: catalog.state });
  return news.length;
}
