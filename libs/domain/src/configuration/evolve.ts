import type { EventMap, TopicEvents } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import { revokeKey, setKey } from './kinds/api-keys.js';
import { endSessions } from './kinds/browser-sessions.js';
import { setCase } from './kinds/cases.js';
import { register } from './kinds/catalog.js';
import { setDelegation } from './kinds/delegations.js';
import { setFacts } from './kinds/fact-tables.js';
import { setGrant } from './kinds/grants.js';
import { setHttpTool } from './kinds/http-tools.js';
import { setIdentityProvider } from './kinds/identity-providers.js';
import { setAdapterPin, setAudit, setEvaluation, setLifecycle, setPin, setReported } from './kinds/lifecycles.js';
import { setLimit } from './kinds/limits.js';
import { activateMapping, setMapping } from './kinds/mappings.js';
import { setOpenApiImport, setOpenApiTool } from './kinds/openapi-imports.js';
import { noteVerifiedToken } from './kinds/people.js';
import { setPersonLink } from './kinds/person-links.js';
import { erasePersonal, setPersonalData } from './kinds/personal-data.js';
import { activateBundle, publishBundle, setPolicySettings } from './kinds/policy-bundles.js';
import { setProducer } from './kinds/producers.js';
import { applyRetention, setRetention } from './kinds/retention.js';
import { setSagaDefinition } from './kinds/saga-definitions.js';
import { noteSecret } from './kinds/secrets.js';
import { setSignInLink, useSignInLink } from './kinds/sign-in-links.js';
import { setTenant } from './kinds/tenants.js';
import { setTokenExchange } from './kinds/token-exchanges.js';
import { setOverride } from './kinds/tool-policies.js';
import { classifyUpstreamTool, noteDefinition, noteListing, setUpstream } from './kinds/upstreams.js';
import { closeUsagePeriod } from './kinds/usage-periods.js';
import { setUserDelegation } from './kinds/user-delegations.js';
import { setWebhook } from './kinds/webhooks.js';
import { judgeChange } from './state/change-ledger.js';
import type { ConfigurationState } from './state/configuration.js';
import type { ConfigurationEvent } from './state/items.js';

type CatalogEvent = TopicEvents['tool-registered']['event_type'];

/**
 * The change that each event of `configuration-changed` makes. A new kind of configuration needs one file in `kinds/` and its lines here.
 */
const folds: { [T in ConfigurationEvent]: (state: ConfigurationState, event: EventMap[T], at: PlacedEvent) => void } = {
  tenant_set: setTenant,
  api_key_set: setKey,
  api_key_revoked: revokeKey,
  producer_set: setProducer,
  tool_policy_set: setOverride,
  tool_lifecycle_set: setLifecycle,
  tool_pin_set: setPin,
  tool_evaluation_set: setEvaluation,
  tool_audit_set: setAudit,
  adapter_pin_set: setAdapterPin,
  tool_notice_told: setReported,
  mapping_set: setMapping,
  mapping_activated: activateMapping,
  case_set: setCase,
  limit_set: setLimit,
  identity_provider_set: setIdentityProvider,
  person_token_verified: noteVerifiedToken,
  browser_sessions_ended: endSessions,
  sign_in_link_set: setSignInLink,
  sign_in_link_used: useSignInLink,
  user_delegation_set: setUserDelegation,
  secret_changed: noteSecret,
  token_exchange_set: setTokenExchange,
  webhook_set: setWebhook,
  delegation_set: setDelegation,
  grant_set: setGrant,
  policy_bundle_published: publishBundle,
  policy_bundle_activated: activateBundle,
  policy_settings_set: setPolicySettings,
  fact_table_set: setFacts,
  projection_rebuild_requested: () => undefined,
  personal_data_set: setPersonalData,
  person_link_set: setPersonLink,
  subject_erased: erasePersonal,
  retention_set: setRetention,
  retention_applied: applyRetention,
  log_dropped: () => undefined,
  damage_accepted: () => undefined,
  usage_period_closed: closeUsagePeriod,
  saga_definition_set: setSagaDefinition,
  http_tool_set: setHttpTool,
  upstream_set: setUpstream,
  upstream_tool_classified: classifyUpstreamTool,
  openapi_tool_set: setOpenApiTool,
  openapi_import_set: setOpenApiImport,
};

/** What executors announce: the change that each event of `tool-registered` makes. */
const announced: { [T in CatalogEvent]: (state: ConfigurationState, event: EventMap[T], at: PlacedEvent) => void } = {
  tool_registered: register,
  upstream_tool_listed: noteDefinition,
  upstream_listed: noteListing,
};

/**
 * Events that no ruling, run or sign-in depends on (a case is set with its first call). All other events are announced to other instances
 * at once.
 */
const KEPT_FOR_THE_NEXT_BEAT: ReadonlySet<string> = new Set<ConfigurationEvent>([
  'case_set',
  'tool_evaluation_set',
  'tool_audit_set',
  'tool_notice_told',
  'retention_applied',
  'log_dropped',
  'damage_accepted',
  'usage_period_closed',
  'person_token_verified',
]);

function noteChange(state: ConfigurationState, { event, offset }: PlacedEvent): void {
  const part = state.by_tenant.get(event.meta.tenant_id);
  if (part) part.policy_offset = offset;
}

function noteAnnouncement(state: ConfigurationState, at: PlacedEvent): void {
  const only = at.event_type === 'tool_registered' ? at.event.only_tenant : at.event.meta.tenant_id;
  const part = only ? state.by_tenant.get(only) : undefined;
  if (part) part.catalog_offset = at.offset;
}

/**
 * Folds one event of `configuration-changed` or `tool-registered` into the state, in place, and returns it. Events of other topics, records
 * that were already folded and refused changes (change-ledger.ts) change nothing. Never throws: an unreadable contract is counted and
 * ignored.
 */
export function evolveConfiguration(state: ConfigurationState, at: PlacedEvent): ConfigurationState {
  if (at.event_type in announced) {
    if (at.offset <= state.catalog_offset) return state;
    state.catalog_offset = at.offset;
    const announce = announced[at.event_type as CatalogEvent] as (state: ConfigurationState, event: unknown, at: PlacedEvent) => void;
    announce(state, at.event, at);
    noteAnnouncement(state, at);
    return state;
  }
  if (at.topic !== 'configuration-changed' || at.offset <= state.config_offset) return state;
  state.config_offset = at.offset;
  if (judgeChange(state.changes, at) !== 'applied') return state;
  if (!KEPT_FOR_THE_NEXT_BEAT.has(at.event_type)) state.policy_offset = at.offset;
  const fold = folds[at.event_type as ConfigurationEvent] as
    | ((state: ConfigurationState, event: unknown, at: PlacedEvent) => void)
    | undefined;
  fold?.(state, at.event, at);
  if (!KEPT_FOR_THE_NEXT_BEAT.has(at.event_type)) noteChange(state, at);
  return state;
}
