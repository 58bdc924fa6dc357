import { type EventCodec, uuidv7 } from '@countersign/contracts';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import type { EventLog, NewRecord } from '@countersign/event-log';
import type { LoadedTool } from './in-process/loaded-tool.js';

/** Who announces, where it runs things, and when. */
export interface Announcement {
  executor_id: string;
  lanes: readonly string[];
  now_ms: number;
}

function holds(catalog: ConfigurationState, tool: LoadedTool, lanes: readonly string[]): boolean {
  const known = catalogued(catalog, tool.contract.name, tool.contract.version);
  return known?.digest === tool.digest && lanes.every((lane) => known.lanes.has(lane));
}

/** Puts the contracts that the catalog does not hold yet (or holds with another digest) on `tool-registered`. */
export async function announceTools(
  { log, codec }: { log: EventLog; codec: EventCodec },
  tools: Iterable<LoadedTool>,
  catalog: ConfigurationState,
  { executor_id, lanes, now_ms }: Announcement,
): Promise<number> {
  const records: NewRecord[] = [];
  for (const tool of tools) {
    if (holds(catalog, tool, lanes)) continue;
    const { name, version } = tool.contract;
    const event_id = uuidv7(now_ms);
    const value = codec.encode('tool_registered', {
      meta: {
        event_id,
        tenant_id: '',
        call_id: null,
        attempt: 0,
        causation_id: null,
        correlation_id: event_id.replaceAll('-', ''),
        hlc: now_ms * 1000,
        partition: 0,
      },
      name,
      version,
      digest: tool.digest,
      contract_json: JSON.stringify(tool.contract),
      lanes: [...lanes],
      executor_id,
      registered_at_ms: now_ms,
    });
    records.push({ topic: 'tool-registered', partition: 0, key: `${name}@${version}`, value, headers: { event_type: 'tool_registered' } });
  }
  if (records.length > 0) await log.append(records);
  return records.length;
}
