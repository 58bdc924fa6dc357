import type { EventMap } from '@countersign/contracts';
import { type ConfigurationEvent, itemNames } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import { type ChangedItem, EVERY_TENANT, type RecordChanges } from './record-change.js';

const tool = ({ tool, version }: { tool: string; version: string }): ChangedItem[] => [{ kind: 'tool', id: `${tool}@${version}` }];

/** An item of the configuration by its name, without its content. */
const named = (setting: ConfigurationEvent, id: string): ChangedItem[] => [{ kind: 'configuration', id, setting }];

type ItemsOf = { [T in ConfigurationEvent]: ((event: EventMap[T]) => ChangedItem[]) | null };

/** The items that each event changes; null: no list shows them, or they name a person. */
const items: ItemsOf = {
  adapter_pin_set: ({ environment, adapter }) => named('adapter_pin_set', itemNames.adapter_pin(environment, adapter)),
  api_key_revoked: ({ key_id }) => named('api_key_revoked', `key/${key_id}`),
  api_key_set: ({ key_id }) => named('api_key_set', `key/${key_id}`),
  browser_sessions_ended: null,
  case_set: ({ case_id }) => [{ kind: 'case', id: case_id }],
  damage_accepted: ({ damage_ids }) => damage_ids.map((id) => ({ kind: 'damage', id })),
  delegation_set: ({ delegation_id }) => named('delegation_set', itemNames.vote_delegation(delegation_id)),
  fact_table_set: ({ table }) => named('fact_table_set', itemNames.facts(table)),
  grant_set: ({ grant }) => named('grant_set', itemNames.grant(grant.grant_id)),
  http_tool_set: tool,
  identity_provider_set: ({ provider_id }) => named('identity_provider_set', itemNames.identity_provider(provider_id)),
  limit_set: ({ limit_id }) => named('limit_set', itemNames.limit(limit_id)),
  log_dropped: null,
  mapping_activated: ({ tool }) => named('mapping_activated', itemNames.mapping(tool)),
  mapping_set: ({ tool }) => named('mapping_set', itemNames.mapping(tool)),
  openapi_import_set: ({ import: name }) => named('openapi_import_set', itemNames.openapi_import(name)),
  openapi_tool_set: tool,
  person_link_set: ({ link_id }) => named('person_link_set', itemNames.person_link(link_id)),
  person_token_verified: null,
  personal_data_set: ({ rule_id }) => named('personal_data_set', itemNames.personal_data(rule_id)),
  policy_bundle_activated: () => named('policy_bundle_activated', itemNames.active_bundle),
  policy_bundle_published: ({ version }) => named('policy_bundle_published', itemNames.bundle(version)),
  policy_settings_set: () => named('policy_settings_set', itemNames.policy_settings),
  producer_set: ({ producer_id }) => named('producer_set', `producer/${producer_id}`),
  projection_rebuild_requested: ({ projection }) => named('projection_rebuild_requested', `projection/${projection}`),
  retention_applied: () => named('retention_applied', itemNames.retention),
  retention_set: () => named('retention_set', itemNames.retention),
  saga_definition_set: ({ name, version }) => named('saga_definition_set', itemNames.saga_definition(name, version)),
  secret_changed: ({ name, scope, owner }) => [
    { ...(named('secret_changed', `secret/${scope}/${name}`)[0] as ChangedItem), ...(scope === 'user' && { owner: owner ?? '' }) },
  ],
  sign_in_link_set: null,
  sign_in_link_used: null,
  subject_erased: null,
  tenant_set: () => named('tenant_set', itemNames.tenant),
  token_exchange_set: ({ name }) => named('token_exchange_set', itemNames.token_exchange(name)),
  tool_audit_set: tool,
  tool_evaluation_set: tool,
  tool_lifecycle_set: tool,
  tool_notice_told: null,
  tool_pin_set: tool,
  tool_policy_set: ({ tool }) => named('tool_policy_set', itemNames.tool_policy(tool)),
  upstream_set: ({ upstream }) => named('upstream_set', itemNames.upstream(upstream)),
  upstream_tool_classified: ({ upstream }) => named('upstream_tool_classified', itemNames.upstream(upstream)),
  usage_period_closed: ({ period }) => named('usage_period_closed', `usage_period/${period}`),
  user_delegation_set: ({ delegation_id, user_id }) => [
    { ...(named('user_delegation_set', itemNames.user_delegation(delegation_id))[0] as ChangedItem), owner: user_id },
  ],
  webhook_set: ({ webhook_id }) => named('webhook_set', itemNames.webhook(webhook_id)),
};

/** The configuration events that a stream shows. */
export const shownConfiguration: readonly string[] = Object.entries(items).flatMap(([event_type, of]) => (of ? [event_type] : []));

/** Settings of the whole installation, which every tenant's operators may list. */
const ofEveryTenant: ReadonlySet<string> = new Set(['adapter_pin_set', 'projection_rebuild_requested']);

type ConfigurationRecord = Extract<Recorded, { event_type: ConfigurationEvent }>;
export const isConfiguration = (at: Recorded): at is ConfigurationRecord => at.event_type in items;

/** What a record of `configuration-changed` changed. */
export function configurationChange({ event_type, event }: ConfigurationRecord): RecordChanges {
  const of = items[event_type] as ((event: ConfigurationRecord['event']) => ChangedItem[]) | null;
  // A secret of the whole installation has no tenant.
  const is_shared = ofEveryTenant.has(event_type) || (event_type === 'secret_changed' && event.meta.tenant_id === '');
  return { tenant_id: is_shared ? EVERY_TENANT : event.meta.tenant_id, items: of?.(event) ?? [] };
}
