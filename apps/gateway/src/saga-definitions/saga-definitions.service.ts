import { type Caller, Refusal } from '@countersign/calls';
import type { SagaDefinitionRequest } from '@countersign/definitions';
import {
  faultAt,
  itemNames,
  type SagaDefinition,
  type SagaDefinitionVersion,
  sagaChartOf,
  sagaDefinitionsOf,
  sagaDefinitionVersions,
} from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { type CompiledDefinition, compileDefinition } from './compile-definition.js';
import { type CheckedText, definitionText, findingOf, publishedOf, summaryOf, versionOf } from './definition-text.js';
import { refusedDefinition } from './refused-definition.js';
import type {
  DefinitionCheck,
  DefinitionSummary,
  DefinitionVersion,
  NewestDefinition,
  PublishedDefinition,
} from './saga-definitions.schemas.js';
import { tenantTools } from './tenant-tools.js';

export const DEFINITIONS_MAX = 200;
export const VERSIONS_MAX = 100;
/** Characters of all of a tenant's definitions: every service has them in memory. */
export const TOTAL_CHARS_MAX = 16_777_216;

/** A published version; `was_known`: the same content was published before. */
export type Publication = WithHeaders<PublishedDefinition> & { was_known: boolean };

const noSuchDefinition = (name: string): Refusal =>
  new Refusal('not-found', `there is no saga definition ${name}`, { reason: 'saga_definition_not_found' });
const noSuchVersion = (name: string, version: string): Refusal =>
  new Refusal('not-found', `there is no version ${version} of the saga definition ${name}`, {
    reason: 'saga_definition_version_not_found',
  });
const taken = ({ name, version, digest }: SagaDefinitionVersion): Refusal =>
  new Refusal(
    'conflict',
    `version ${version} of ${name} was published with other content (digest ${digest}), and a version never changes`,
    {
      reason: 'saga_definition_version_taken',
    },
  );
const full = (what: string): Refusal => new Refusal('conflict', what, { reason: 'saga_definition_limit_reached' });

function publication(version: SagaDefinitionVersion, { warnings }: CompiledDefinition, was_known: boolean): Publication {
  const location = `/v1/saga-definitions/${version.name}/versions/${version.version}`;
  const body = { ...publishedOf(version), warnings: warnings.map(findingOf) };
  return { body, headers: { location, etag: `"${version.digest}"` }, was_known };
}

/** The saga definitions of a tenant: what its sagas do. A version never changes. */
@Injectable()
export class SagaDefinitionsService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<DefinitionSummary> {
    const { state } = this.configuration;
    return pageOf(
      [...sagaDefinitionsOf(state, tenant_id).keys()],
      placeOf(query),
      (name) => name,
      (name) => summaryOf(sagaDefinitionVersions(state, tenant_id, name)),
    );
  }

  newest(tenant_id: string, name: string): WithHeaders<NewestDefinition> | Refusal {
    const versions = sagaDefinitionVersions(this.configuration.state, tenant_id, name);
    const [newest] = versions;
    if (!newest) return noSuchDefinition(name);
    const body = { ...versionOf(newest), versions: versions.map(({ version }) => version) };
    return { body, headers: { etag: `"${newest.digest}"` } };
  }

  read(tenant_id: string, name: string, version: string): WithHeaders<DefinitionVersion> | Refusal {
    const found = this.found(tenant_id, name, version);
    return found instanceof Refusal ? found : { body: versionOf(found), headers: { etag: `"${found.digest}"` } };
  }

  chart(tenant_id: string, name: string, version: string): string | Refusal {
    const found = this.found(tenant_id, name, version);
    return found instanceof Refusal ? found : sagaChartOf(JSON.parse(found.definition_json) as SagaDefinition);
  }

  /** All faults and warnings of a definition; nothing is recorded. */
  async check(tenant_id: string, definition: SagaDefinitionRequest): Promise<DefinitionCheck | Refusal> {
    const text = definitionText(definition);
    if (text instanceof Refusal) return text;
    const { faults, warnings } = await this.compiled(tenant_id, text);
    const publishable = faults.length === 0 && !(this.published(tenant_id, text) instanceof Refusal);
    return { publishable, digest: text.digest, faults: faults.map(findingOf), warnings: warnings.map(findingOf) };
  }

  /** The same content again is answered as it was published, and nothing is written. */
  async publish(
    caller: Caller,
    at: { name: string; version: string },
    definition: SagaDefinitionRequest,
    request: EditRequest,
  ): Promise<Publication | Refusal> {
    const text = misplaced(at, definition) ?? definitionText(definition);
    if (text instanceof Refusal) return text;
    const before = this.published(caller.tenant_id, text);
    if (before instanceof Refusal) return before;
    const compiled = await this.compiled(caller.tenant_id, text);
    if (before) return publication(before, compiled, true);
    if (compiled.faults.length > 0) return refusedDefinition(compiled.faults);
    const refused = await this.write(caller, text, request);
    // Another gateway may have published it in the meantime: the same content is as good.
    const now = this.published(caller.tenant_id, text);
    if (!now) return refused ?? noSuchVersion(at.name, at.version);
    return now instanceof Refusal ? now : publication(now, compiled, refused !== undefined);
  }

  private async write({ tenant_id, principal: by }: Caller, text: CheckedText, request: EditRequest): Promise<Refusal | undefined> {
    const { definition_json, digest } = text;
    const { name, version } = text.definition;
    const draft = () => {
      const known = this.versionsOf(tenant_id, name)?.get(version);
      if (known) return taken(known);
      return this.limit(tenant_id, text) ?? { name, version, definition_json, digest, by, published_at_ms: this.configuration.now_ms() };
    };
    const item = itemNames.saga_definition(name, version);
    const against = () => [itemNames.saga_definitions];
    const edited = await this.configuration.edits.edit(request, { tenant_id, type: 'saga_definition_set', item, against, draft });
    return edited instanceof Refusal ? edited : undefined;
  }

  private limit(tenant_id: string, { definition: { name }, definition_json }: CheckedText): Refusal | undefined {
    const definitions = sagaDefinitionsOf(this.configuration.state, tenant_id);
    const versions = definitions.get(name);
    const kept = [...definitions.values()].flatMap((each) => [...each.values()]);
    const total_chars = kept.reduce((sum, each) => sum + each.definition_json.length, definition_json.length);
    if (total_chars > TOTAL_CHARS_MAX)
      return full(
        `the saga definitions of the tenant would have ${total_chars} characters together, at most ${TOTAL_CHARS_MAX} are allowed`,
      );
    if (!versions && definitions.size >= DEFINITIONS_MAX)
      return full(`the tenant has ${definitions.size} saga definitions, which is the most: publish a new version of one of them`);
    if (versions && versions.size >= VERSIONS_MAX)
      return full(`${name} has ${versions.size} versions, which is the most: publish the definition under another name`);
    return undefined;
  }

  /** The version, if it was published with this content; a refusal if it was published with other content. */
  private published(
    tenant_id: string,
    { definition: { name, version }, digest }: CheckedText,
  ): SagaDefinitionVersion | Refusal | undefined {
    const known = this.versionsOf(tenant_id, name)?.get(version);
    return known === undefined || known.digest === digest ? known : taken(known);
  }

  private compiled(tenant_id: string, { definition }: CheckedText): Promise<CompiledDefinition> {
    return compileDefinition(definition, tenantTools(this.configuration.state, tenant_id));
  }

  private versionsOf(tenant_id: string, name: string): ReadonlyMap<string, SagaDefinitionVersion> | undefined {
    return sagaDefinitionsOf(this.configuration.state, tenant_id).get(name);
  }

  private found(tenant_id: string, name: string, version: string): SagaDefinitionVersion | Refusal {
    const versions = this.versionsOf(tenant_id, name);
    return versions ? (versions.get(version) ?? noSuchVersion(name, version)) : noSuchDefinition(name);
  }
}

/** A definition says its own name and version, and they are those of its path. */
function misplaced(at: { name: string; version: string }, definition: SagaDefinitionRequest): Refusal | undefined {
  const faults = (['name', 'version'] as const)
    .filter((field) => at[field] !== definition[field])
    .map((field) => faultAt(null, `/${field}`, `is ${definition[field]}, and the path says ${at[field]}`));
  return faults.length > 0 ? refusedDefinition(faults) : undefined;
}
