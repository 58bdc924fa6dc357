import { NO_RECORD_OFFSET } from '@countersign/contracts';
import type { AdapterPin, AuditRecord, Evaluation, LifecycleEntry, RefusedRegistration } from '../../registry/record.js';
import type { Upstream, UpstreamListing } from '../../upstream/state.js';
import type {
  ApiKey,
  Delegation,
  EndedSessions,
  IdentityProvider,
  PersonLinks,
  SignInLink,
  TokenExchange,
  UserDelegation,
  VerifiedTokens,
} from './access.js';
import { type BundleShelf, emptyShelf } from './bundle-shelf.js';
import { type ChangeLedger, emptyLedger } from './change-ledger.js';
import { emptyFacts, type FactShelf } from './fact-shelf.js';
import type { PersonalData, Retention } from './personal-data.js';
import type { SagaDefinitions } from './saga-definitions.js';
import type { CaseFact, Tenant, UsagePeriod, Webhook } from './tenants.js';
import type { HttpTool, KeptGrant, MappingVersion, OpenApiImports, TenantLimits, ToolOverride, ToolVersion } from './tools.js';

export interface TenantConfiguration {
  overrides: Map<string, ToolOverride>;
  /** tool → version → the lifecycle decision; absent: see stateOfVersion. */
  lifecycles: Map<string, Map<string, LifecycleEntry>>;
  /** `tool@version` → the pin that the tenant accepted instead of the first one. */
  pins: Map<string, string>;
  /** `tool@version` → the newest evaluation recorded in the tenant. */
  evaluations: Map<string, Evaluation>;
  /** `tool@version` → the newest audit record. */
  audits: Map<string, AuditRecord>;
  /** Ids of version notices that were sent. */
  told: Set<string>;
  /** Tool (or `*`) → its versions, oldest first. */
  mappings: Map<string, MappingVersion[]>;
  cases: Map<string, CaseFact>;
  /** Absent: no limit was ever set. */
  limits?: TenantLimits;
  /** Absent: no rule for personal data was ever set. */
  personal?: PersonalData;
  /** Absent: no identity link was ever recorded. */
  person_links?: PersonLinks;
  /** Absent: encrypted data is kept forever. */
  retention?: Retention;
  identity_providers: Map<string, IdentityProvider>;
  /** Absent: no token of a person was ever recorded. */
  verified_tokens?: VerifiedTokens;
  /** Person → the sessions that ended; absent: none ever ended before its time. */
  ended_sessions?: Map<string, EndedSessions>;
  user_delegations: Map<string, UserDelegation>;
  token_exchanges: Map<string, TokenExchange>;
  /** By webhook_id. The next two maps are keyed by delegation_id and grant_id. */
  webhooks: Map<string, Webhook>;
  delegations: Map<string, Delegation>;
  grants: Map<string, KeptGrant>;
  /** By saga_id: approvals of whole sagas. Absent: there was none. */
  saga_grants?: Map<string, KeptGrant>;
  /** By month (`2026-11`); absent: no month was closed yet. */
  usage_periods?: Map<string, UsagePeriod>;
  /** Absent: none was published yet. */
  saga_definitions?: SagaDefinitions;
  /** By `tool@version`: tools at endpoints of the tenant. Absent: there was none. */
  http_tools?: Map<string, HttpTool>;
  /** By name, removed ones included. Absent: there was none. */
  upstreams?: Map<string, Upstream>;
  /** By upstream: what is known of its tools. Absent: nothing was recorded. */
  upstream_listings?: Map<string, UpstreamListing>;
  /** Absent: no OpenAPI document was imported. */
  openapi?: OpenApiImports;
  /** Tool name → its registered versions, newest first: tools that only this tenant has. Absent: there is none. */
  tools?: Map<string, ToolVersion[]>;
  bundles: BundleShelf;
  facts: FactShelf;
  /** Offset of the newest record of this tenant that rulings or runs depend on. Absent: there was none. */
  policy_offset?: number;
  /** Offset of the newest record of tool-registered about a tool that only this tenant has. Absent: there was none. */
  catalog_offset?: number;
}

/**
 * The configuration folded from `configuration-changed` and `tool-registered`. Its single owner changes it in place, so do not hold parts
 * of it across awaits. Read it through `queries.ts`.
 */
export interface ConfigurationState {
  /** Offset of the newest folded record of configuration-changed, -1 if there is none. Rulings record it. */
  config_offset: number;
  /**
   * Offset of the newest record that affects policy, executors or other gateways. The writer of a change waits until all of them have
   * folded it.
   */
  policy_offset: number;
  /** Offset of the newest folded record of tool-registered. */
  catalog_offset: number;
  /** The versions of the configuration items, and the refused changes. */
  changes: ChangeLedger;
  tenants: Map<string, Tenant>;
  keys_by_hash: Map<string, ApiKey>;
  keys_by_id: Map<string, ApiKey>;
  /** By the hash of their token: links of all tenants. Absent: there was none. */
  sign_in_links?: Map<string, SignInLink>;
  /** Ids of the producers of all tenants, in the order of their registration. Their credentials are in `keys_by_id`. */
  producers: Set<string>;
  by_tenant: Map<string, TenantConfiguration>;
  /** Issuer → its providers, of all tenants. */
  providers_by_issuer: Map<string, IdentityProvider[]>;
  /** Tool name → its versions, newest first: tools of packs, which all tenants have. */
  tools: Map<string, ToolVersion[]>;
  /** By refusalKey: `tool@version`, after the tenant that alone has it → why its registration was refused. */
  refused: Map<string, RefusedRegistration>;
  /** `environment/adapter` → its pin. */
  adapter_pins: Map<string, AdapterPin>;
  /** Grows with every change that may stop a version from running: owners of waiting calls then check them again. */
  revocation_epoch: number;
  /** Number of catalogued versions whose contract drifted. */
  drifted: number;
  /** Registrations that were ignored because their contract is unreadable. */
  unreadable_registrations: number;
}

export function initialConfiguration(): ConfigurationState {
  return {
    config_offset: NO_RECORD_OFFSET,
    policy_offset: NO_RECORD_OFFSET,
    catalog_offset: NO_RECORD_OFFSET,
    changes: emptyLedger(),
    tenants: new Map(),
    keys_by_hash: new Map(),
    keys_by_id: new Map(),
    producers: new Set(),
    by_tenant: new Map(),
    providers_by_issuer: new Map(),
    tools: new Map(),
    refused: new Map(),
    adapter_pins: new Map(),
    revocation_epoch: 0,
    drifted: 0,
    unreadable_registrations: 0,
  };
}

/** The tenant's part; created if missing. */
export function tenantPart(state: ConfigurationState, tenantId: string): TenantConfiguration {
  let part = state.by_tenant.get(tenantId);
  if (!part) {
    part = {
      overrides: new Map(),
      lifecycles: new Map(),
      pins: new Map(),
      evaluations: new Map(),
      audits: new Map(),
      told: new Set(),
      mappings: new Map(),
      cases: new Map(),
      identity_providers: new Map(),
      user_delegations: new Map(),
      token_exchanges: new Map(),
      webhooks: new Map(),
      delegations: new Map(),
      grants: new Map(),
      bundles: emptyShelf(),
      facts: emptyFacts(),
    };
    state.by_tenant.set(tenantId, part);
  }
  return part;
}
