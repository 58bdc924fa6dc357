import { type EventMap, type EventType, firstMeta } from '@countersign/contracts';
import { decideListing, type ListingSeen, listedDefinition, type UpstreamDefinition } from '@countersign/domain';
import type { GatewaysOnOneLog } from './gateways-on-one-log.js';

const TENANT = 'default';

/** Records what an executor would that lists an upstream of the tenant `default` as it was first set. */
export class UpstreamListings {
  constructor(
    private readonly rig: Pick<GatewaysOnOneLog, 'log' | 'codec'>,
    private readonly upstream: string,
  ) {}

  /** @returns the digests of the definitions that are listed now */
  async complete(...definitions: readonly UpstreamDefinition[]): Promise<ReadonlySet<string>> {
    const listed = definitions.map(listedDefinition);
    const about = { refused: [], server: 'files 1', protocol_version: '1' };
    await this.record({ kind: 'complete', definitions: listed, ...about });
    return new Set(listed.map(({ digest }) => digest));
  }

  failed(reason: string): Promise<void> {
    return this.record({ kind: 'failed', fault: 'unreachable', reason });
  }

  private async record(result: ListingSeen['result']): Promise<void> {
    const { upstream } = this;
    const seen = { upstream, revision: 1, place_revision: 1, listed_at_ms: Date.now(), executor_id: 'e', result };
    const records = decideListing(undefined, seen, { tools: 100, chars: 1_000_000 });
    for (const each of records?.definitions ?? []) await this.append('upstream_tool_listed', each);
    if (records) await this.append('upstream_listed', records.listed);
  }

  private async append<T extends EventType>(event_type: T, fields: Omit<EventMap[T], 'meta'>): Promise<void> {
    const { codec, log } = this.rig;
    const value = codec.encode(event_type, { meta: firstMeta(TENANT, Date.now()), ...fields } as unknown as EventMap[T]);
    await log.append([{ topic: 'tool-registered', partition: 0, key: this.upstream, value, headers: { event_type } }]);
  }
}
