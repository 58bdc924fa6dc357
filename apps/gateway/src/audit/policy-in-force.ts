import type { EventMap } from '@countersign/contracts';
import { emptyLedger, judgeChange, type PlacedEvent } from '@countersign/domain';
import type { FoundRecord, RecordsOfCalls } from './records-of-calls.js';

const TOPIC = 'configuration-changed';

/** The kinds of configuration that a decision depends on, and the key of each: the newest record of a kind and key is in force. */
const names = {
  tool_policy_set: ({ tool }: EventMap['tool_policy_set']) => tool,
  policy_bundle_published: ({ version }: EventMap['policy_bundle_published']) => version,
  policy_bundle_activated: () => '',
  policy_settings_set: () => '',
  mapping_set: ({ tool, version }: EventMap['mapping_set']) => `${version} ${tool}`,
  mapping_activated: ({ tool, version }: EventMap['mapping_activated']) => `${version} ${tool}`,
  fact_table_set: ({ table }: EventMap['fact_table_set']) => table,
  limit_set: ({ limit_id }: EventMap['limit_set']) => limit_id,
  grant_set: ({ grant }: EventMap['grant_set']) => grant.grant_id,
};

function subjectOf({ event: { event_type, event } }: FoundRecord): string | undefined {
  const nameOf = (names as Record<string, ((event: never) => string) | undefined>)[event_type];
  return nameOf && `${event_type}/${nameOf(event as never)}`;
}

/** Merged rows are incomplete without the earlier rows of their table. */
const isMerge = ({ event: { event_type, event } }: FoundRecord) => event_type === 'fact_table_set' && event.mode === 'merge';

/**
 * The tenant's rules as decisions at these configuration offsets saw them (`config_offset` of decisions and starts): for each offset the
 * last effective record of every rule, with all records that it builds on. Each record once, oldest first.
 */
export async function policyInForce(
  records: Pick<RecordsOfCalls, 'below'>,
  tenant_id: string,
  config_offsets: Iterable<number>,
): Promise<FoundRecord[]> {
  const positions = [...new Set(config_offsets)].sort((a, b) => a - b);
  const inForce = new Map<string, FoundRecord[]>();
  const seen = new Set<FoundRecord>();
  const ledger = emptyLedger();
  const judged = () => {
    positions.shift();
    for (const found of inForce.values()) for (const one of found) seen.add(one);
  };
  for await (const found of records.below(TOPIC, 0, (positions.at(-1) ?? -1) + 1)) {
    while (positions.length > 0 && (positions[0] as number) < found.record.offset) judged();
    const is_applied = judgeChange(ledger, { ...found.event, offset: found.record.offset } as PlacedEvent) === 'applied';
    const subject = is_applied && found.event.event.meta.tenant_id === tenant_id ? subjectOf(found) : undefined;
    if (subject) inForce.set(subject, isMerge(found) ? [...(inForce.get(subject) ?? []), found] : [found]);
  }
  while (positions.length > 0) judged();
  return [...seen].sort((a, b) => a.record.offset - b.record.offset);
}
