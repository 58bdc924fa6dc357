import type { FoundRecord, RecordsOfCalls } from './records-of-calls.js';

const TOPIC = 'configuration-changed';
/** Kinds of configuration that a ruling rests on. */
const RULES = /^(tool_policy|policy_|fact_|limit_|grant_)/;

/** What one record of configuration is about: the newest of a kind and name is in force. */
function subjectOf({ event }: FoundRecord): string {
  const named = event.event as unknown as Record<string, unknown>;
  const name = named.tool ?? named.limit_id ?? named.table ?? named.bundle_version ?? named.version ?? named.grant_id ?? named.rule_id;
  return `${event.event_type}/${String(name)}`;
}

/** The tenant's rules as the newest of these rulings saw them: the last record of each, oldest first. `config_offset` as rulings name it. */
export async function policyInForce(records: RecordsOfCalls, tenant_id: string, config_offset: number): Promise<FoundRecord[]> {
  const newest = new Map<string, FoundRecord>();
  for await (const found of records.below(TOPIC, 0, config_offset + 1)) {
    if (found.event.event.meta.tenant_id === tenant_id && RULES.test(found.event.event_type)) newest.set(subjectOf(found), found);
  }
  return [...newest.values()].sort((a, b) => a.record.offset - b.record.offset);
}
