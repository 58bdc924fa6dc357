import type { EventMap, TopicEvents } from '@countersign/contracts';

export type ConfigurationEvent = TopicEvents['configuration-changed']['event_type'];

/** An item that a change sets or removes. */
export interface TouchedItem {
  item: string;
  removed?: boolean;
  /** The collection whose membership changes when the item is created or removed. */
  member_of?: string;
}

/** The names of the items of a tenant's configuration. A leading slash marks an item of the whole installation. */
export const itemNames = {
  tenant: 'tenant',
  /** Changes when a tenant with a similar-looking id is created. */
  tenant_look: (skeleton: string) => `/tenant_look/${skeleton}`,
  /** Changes with each new key of a principal whose id looks like this. */
  principal_look: (skeleton: string) => `principal_look/${skeleton}`,
  /** Of the whole installation: two tenants cannot have one producer id. */
  producer: (producer_id: string) => `/producer/${producer_id}`,
  tool_policy: (tool: string) => `tool_policy/${tool}`,
  tool_version: (tool: string, version: string) => `tool_version/${tool}@${version}`,
  adapter_pin: (environment: string, adapter: string) => `adapter_pin/${encodeURIComponent(environment)}/${encodeURIComponent(adapter)}`,
  mapping: (tool: string) => `mapping/${tool}`,
  case: (case_id: string) => `case/${case_id}`,
  limit: (limit_id: string) => `limit/${limit_id}`,
  identity_provider: (provider_id: string) => `identity_provider/${provider_id}`,
  /** Changes when any tenant claims the issuer. */
  issuer: (issuer: string) => `/issuer/${issuer}`,
  user_delegation: (delegation_id: string) => `delegation/${delegation_id}`,
  token_exchange: (name: string) => `token_exchange/${name}`,
  webhook: (webhook_id: string) => `webhook/${webhook_id}`,
  vote_delegation: (delegation_id: string) => `vote_delegation/${delegation_id}`,
  grant: (grant_id: string) => `grant/${grant_id}`,
  bundle: (version: string) => `policy/${version}`,
  active_bundle: 'active_policy',
  policy_settings: 'policy_settings',
  facts: (table: string) => `facts/${table}`,
  /** Changes when a table is created or dropped, not when its rows change. */
  fact_tables: 'fact_tables',
  personal_data: (rule_id: string) => `personal_data/${rule_id}`,
  person_link: (link_id: string) => `person_link/${link_id}`,
  retention: 'retention',
  http_tool: (tool: string, version: string) => `http_tool/${tool}@${version}`,
  upstream: (name: string) => `upstream/${name}`,
  upstream_tool: (upstream: string, tool: string) => `upstream_tool/${upstream}/${encodeURIComponent(tool)}`,
  openapi_import: (name: string) => `openapi_import/${name}`,
  saga_definition: (name: string, version: string) => `saga_definition/${name}@${version}`,
  /** Moves with each new version of each saga definition. */
  saga_definitions: 'saga_definitions',
} as const;

const none = (): TouchedItem[] => [];
const ofVersion = ({ tool, version }: { tool: string; version: string }): TouchedItem[] => [
  { item: itemNames.tool_version(tool, version) },
];

/** The items that each event changes. An event without items conflicts with no other event. */
export const touchedItems: { [T in ConfigurationEvent]: (event: EventMap[T]) => TouchedItem[] } = {
  tenant_set: ({ skeleton }) => [
    { item: itemNames.tenant },
    ...(typeof skeleton === 'string' ? [{ item: itemNames.tenant_look(skeleton) }] : []),
  ],
  // Older records have no skeleton of the id.
  api_key_set: ({ skeleton }) => (typeof skeleton === 'string' ? [{ item: itemNames.principal_look(skeleton) }] : []),
  api_key_revoked: none,
  producer_set: ({ producer_id, skeleton }) => [
    { item: itemNames.producer(producer_id) },
    ...(skeleton === null ? [] : [{ item: itemNames.principal_look(skeleton) }]),
  ],
  tool_policy_set: ({ tool, tier }) => [{ item: itemNames.tool_policy(tool), removed: tier === null }],
  tool_lifecycle_set: ofVersion,
  tool_pin_set: ofVersion,
  tool_evaluation_set: ofVersion,
  tool_audit_set: ofVersion,
  adapter_pin_set: ({ environment, adapter }) => [{ item: itemNames.adapter_pin(environment, adapter) }],
  tool_notice_told: none,
  mapping_set: ({ tool, definition_json }) => [{ item: itemNames.mapping(tool), removed: definition_json === null }],
  mapping_activated: ({ tool }) => [{ item: itemNames.mapping(tool) }],
  // Most of the many cases are opened and never edited: only an edit gives a case a version.
  case_set: ({ case_id, based_on = [] }) => (based_on.length > 0 ? [{ item: itemNames.case(case_id) }] : []),
  limit_set: ({ limit_id, removed }) => [{ item: itemNames.limit(limit_id), removed }],
  identity_provider_set: ({ provider_id, issuer, removed }) => [
    { item: itemNames.identity_provider(provider_id), removed },
    ...(removed ? [] : [{ item: itemNames.issuer(issuer) }]),
  ],
  person_token_verified: none,
  browser_sessions_ended: none,
  sign_in_link_set: none,
  sign_in_link_used: none,
  user_delegation_set: ({ delegation_id, revoked }) => [{ item: itemNames.user_delegation(delegation_id), removed: revoked }],
  secret_changed: none,
  token_exchange_set: ({ name, removed }) => [{ item: itemNames.token_exchange(name), removed }],
  webhook_set: ({ webhook_id, state }) => [{ item: itemNames.webhook(webhook_id), removed: state === 'deleted' }],
  delegation_set: ({ delegation_id, ended }) => [{ item: itemNames.vote_delegation(delegation_id), removed: ended }],
  grant_set: ({ grant }) => [{ item: itemNames.grant(grant.grant_id) }],
  policy_bundle_published: ({ version }) => [{ item: itemNames.bundle(version) }],
  policy_bundle_activated: () => [{ item: itemNames.active_bundle }],
  policy_settings_set: () => [{ item: itemNames.policy_settings }],
  fact_table_set: ({ table, mode }) => [{ item: itemNames.facts(table), removed: mode === 'drop', member_of: itemNames.fact_tables }],
  projection_rebuild_requested: none,
  personal_data_set: ({ rule_id, removed }) => [{ item: itemNames.personal_data(rule_id), removed }],
  person_link_set: ({ link_id, removed }) => [{ item: itemNames.person_link(link_id), removed }],
  subject_erased: none,
  retention_set: () => [{ item: itemNames.retention }],
  retention_applied: none,
  log_dropped: none,
  damage_accepted: none,
  usage_period_closed: none,
  http_tool_set: ({ tool, version }) => [{ item: itemNames.http_tool(tool, version) }],
  upstream_set: ({ upstream, removed }) => [{ item: itemNames.upstream(upstream), removed }],
  upstream_tool_classified: ({ upstream, tool }) => [{ item: itemNames.upstream_tool(upstream, tool) }],
  // A version is set once; what may conflict is its import.
  openapi_tool_set: none,
  openapi_import_set: ({ import: name }) => [{ item: itemNames.openapi_import(name) }],
  saga_definition_set: ({ name, version }) => [{ item: itemNames.saga_definition(name, version), member_of: itemNames.saga_definitions }],
};
