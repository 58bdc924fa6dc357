import type { Caller } from '@countersign/calls';
import type { ConfigurationEvent } from '@countersign/domain';
import { ApprovalsController } from '../approvals/approvals.controller.js';
import { GrantsController } from '../approvals/grants.controller.js';
import { VoteDelegationsController } from '../approvals/vote-delegations.controller.js';
import { DamagesController } from '../audit/damages.controller.js';
import { lacksRole, type Role } from '../authentication/authenticator.js';
import { CallsController } from '../calls/calls.controller.js';
import { CasesController } from '../cases/cases.controller.js';
import { DeadLettersController } from '../dead-letters/dead-letters.controller.js';
import { FactsController } from '../facts/facts.controller.js';
import { ACCESS, type Access } from '../http/access.decorator.js';
import { DelegationsController } from '../identity/delegations.controller.js';
import { IdentityProvidersController } from '../identity/identity-providers.controller.js';
import { KeysController } from '../identity/keys.controller.js';
import { PersonLinksController } from '../identity/person-links.controller.js';
import { TenantsController } from '../identity/tenants.controller.js';
import { LimitsController } from '../limits/limits.controller.js';
import { MappingsController } from '../mappings/mappings.controller.js';
import { OpenApiImportsController } from '../openapi-imports/openapi-imports.controller.js';
import { PersonalDataController } from '../personal-data/personal-data.controller.js';
import { RetentionController } from '../personal-data/retention.controller.js';
import { PoliciesController } from '../policies/policies.controller.js';
import { ProducersController } from '../producers/producers.controller.js';
import { ProjectionsController } from '../projections/projections.controller.js';
import { SagaDefinitionsController } from '../saga-definitions/saga-definitions.controller.js';
import { SagaTicketsController } from '../sagas/saga-tickets.controller.js';
import { SagasController } from '../sagas/sagas.controller.js';
import { SecretsController } from '../secrets/secrets.controller.js';
import { SecurityEventsController } from '../security-events/security-events.controller.js';
import { TokenExchangesController } from '../token-exchanges/token-exchanges.controller.js';
import { AdapterPinsController } from '../tools/adapter-pins.controller.js';
import { ToolPoliciesController } from '../tools/tool-policies.controller.js';
import { ToolsController } from '../tools/tools.controller.js';
import { UpstreamsController } from '../upstreams/upstreams.controller.js';
import { UsageBillingController } from '../usage/usage-billing.controller.js';
import { WebhooksController } from '../webhooks/webhooks.controller.js';
import type { EventKind } from './event-kinds.js';
import type { ChangedItem } from './record-change.js';

type ControllerClass = abstract new (...dependencies: never[]) => object;

/** The roles that the guard demands for a route. @throws if the route states none */
function rolesOf(controller: ControllerClass, method: string): readonly Role[] {
  const handler = (controller.prototype as Record<string, object | undefined>)[method];
  const access: Access | undefined = handler && (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, controller));
  if (access === undefined || access === 'public') throw new Error(`${controller.name}.${method} is no list with roles`);
  return access;
}

/** The list that shows the items of a kind. Whoever may read the list may see its changes. */
const ofKinds: Readonly<Record<Exclude<EventKind, 'configuration'>, readonly Role[]>> = {
  call: rolesOf(CallsController, 'list'),
  case: rolesOf(CasesController, 'list'),
  approval: rolesOf(ApprovalsController, 'list'),
  saga: rolesOf(SagasController, 'list'),
  ticket: rolesOf(SagaTicketsController, 'list'),
  tool: rolesOf(ToolsController, 'list'),
  security: rolesOf(SecurityEventsController, 'list'),
  dead_letter: rolesOf(DeadLettersController, 'list'),
  damage: rolesOf(DamagesController, 'list'),
};

/** The list that shows the items which a configuration event changes. What is not named here is shown to admins only. */
const ofSettings: Readonly<Partial<Record<ConfigurationEvent, readonly Role[]>>> = {
  adapter_pin_set: rolesOf(AdapterPinsController, 'list'),
  api_key_revoked: rolesOf(KeysController, 'list'),
  api_key_set: rolesOf(KeysController, 'list'),
  delegation_set: rolesOf(VoteDelegationsController, 'list'),
  fact_table_set: rolesOf(FactsController, 'list'),
  grant_set: rolesOf(GrantsController, 'list'),
  identity_provider_set: rolesOf(IdentityProvidersController, 'list'),
  limit_set: rolesOf(LimitsController, 'list'),
  mapping_activated: rolesOf(MappingsController, 'list'),
  mapping_set: rolesOf(MappingsController, 'list'),
  person_link_set: rolesOf(PersonLinksController, 'list'),
  personal_data_set: rolesOf(PersonalDataController, 'list'),
  policy_bundle_activated: rolesOf(PoliciesController, 'list'),
  policy_bundle_published: rolesOf(PoliciesController, 'list'),
  policy_settings_set: rolesOf(PoliciesController, 'settings'),
  producer_set: rolesOf(ProducersController, 'list'),
  projection_rebuild_requested: rolesOf(ProjectionsController, 'list'),
  retention_applied: rolesOf(RetentionController, 'read'),
  retention_set: rolesOf(RetentionController, 'read'),
  saga_definition_set: rolesOf(SagaDefinitionsController, 'list'),
  secret_changed: rolesOf(SecretsController, 'list'),
  tenant_set: rolesOf(TenantsController, 'list'),
  token_exchange_set: rolesOf(TokenExchangesController, 'list'),
  tool_policy_set: rolesOf(ToolPoliciesController, 'list'),
  usage_period_closed: rolesOf(UsageBillingController, 'periods'),
  user_delegation_set: rolesOf(DelegationsController, 'list'),
  openapi_import_set: rolesOf(OpenApiImportsController, 'list'),
  upstream_set: rolesOf(UpstreamsController, 'list'),
  upstream_tool_classified: rolesOf(UpstreamsController, 'list'),
  webhook_set: rolesOf(WebhooksController, 'list'),
};

const ADMINS: readonly Role[] = ['admin'];

/** Whether a caller may see a change: it may if it may read the list that shows the item. */
export function maySee(caller: Caller, { kind, setting, owner }: ChangedItem): boolean {
  const roles = kind === 'configuration' ? ((setting && ofSettings[setting]) ?? ADMINS) : ofKinds[kind];
  if (lacksRole(caller, roles)) return false;
  return owner === undefined || owner === caller.principal.id || caller.principal.roles.includes('admin');
}
