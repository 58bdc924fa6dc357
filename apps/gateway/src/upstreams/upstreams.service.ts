import { type Caller, Refusal } from '@countersign/calls';
import {
  httpToolsOf,
  itemNames,
  listingOf,
  openApiImportsOf,
  UPSTREAM_BOUNDS,
  UPSTREAM_NAME,
  type UpstreamTool,
  upstreamOf,
  upstreamsOf,
  upstreamToolsOf,
} from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { listedAnswer, revisionAnswer, setAnswer, toolAnswer, upstreamAnswerOf } from './upstream-answers.js';
import { UpstreamPlaces } from './upstream-places.js';
import { toolTags } from './upstream-tags.js';
import type {
  SetUpstreamAnswer,
  UpstreamAnswer,
  UpstreamListed,
  UpstreamRequest,
  UpstreamRevisionAnswer,
  UpstreamToolAnswer,
  UpstreamToolQuery,
} from './upstreams.schemas.js';

export const noSuchUpstream = (): Refusal => new Refusal('not-found', 'no upstream has this name', { reason: 'upstream_not_found' });

/** The upstreams of tenants, and what is known of their tools. */
@Injectable()
export class UpstreamsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly places: UpstreamPlaces,
  ) {}

  list(tenant_id: string, query: PageQuery): Page<UpstreamListed> {
    const { state } = this.configuration;
    const present = [...upstreamsOf(state, tenant_id).values()].filter(({ place }) => place !== null);
    return pageOf(
      present,
      placeOf(query),
      ({ name }) => name,
      (upstream) => {
        const { name } = upstream;
        const more = { tools: upstreamToolsOf(state, tenant_id, name), etag: this.etag(tenant_id, name) };
        return listedAnswer(upstream, listingOf(state, tenant_id, name), more);
      },
    );
  }

  read(tenant_id: string, name: string): WithHeaders<UpstreamAnswer> | Refusal {
    const { state } = this.configuration;
    const upstream = upstreamOf(state, tenant_id, name);
    if (!upstream) return noSuchUpstream();
    const body = upstreamAnswerOf(upstream, listingOf(state, tenant_id, name), upstreamToolsOf(state, tenant_id, name));
    return { body, headers: { etag: this.etag(tenant_id, name) } };
  }

  /** The ETag is that of all tools of the upstream, whatever the query selects. */
  tools(tenant_id: string, name: string, query: UpstreamToolQuery): WithHeaders<Page<UpstreamToolAnswer>> | Refusal {
    const { state } = this.configuration;
    if (!upstreamOf(state, tenant_id, name)) return noSuchUpstream();
    const fits = ({ tool, state: stands }: UpstreamTool) =>
      (query.tool === undefined || tool === query.tool) && (query.state === undefined || stands === query.state);
    const tools = upstreamToolsOf(state, tenant_id, name);
    const tags = toolTags(this.configuration, tenant_id, tools);
    const answer = (tool: UpstreamTool) => toolAnswer(tool, tags.each.get(tool.tool) as string);
    const body = pageOf(tools.filter(fits), placeOf(query), ({ tool }) => tool, answer);
    return { body, headers: { etag: tags.all } };
  }

  /** Names that `command` of an upstream may have. */
  commands(): Page<{ name: string }> {
    return { items: this.places.names.map((name) => ({ name })), next_cursor: null };
  }

  /** Newest first; those of a removed upstream stay readable. */
  revisions(tenant_id: string, name: string): Page<UpstreamRevisionAnswer> | Refusal {
    const upstream = upstreamsOf(this.configuration.state, tenant_id).get(name);
    if (!upstream) return noSuchUpstream();
    return { items: upstream.revisions.toReversed().map(revisionAnswer), next_cursor: null };
  }

  async set(caller: Caller, name: string, body: UpstreamRequest, request: EditRequest): Promise<WithHeaders<SetUpstreamAnswer> | Refusal> {
    const { url = null, command = null, credentials, timeout_ms } = body;
    const draft = () =>
      this.faultOf(caller.tenant_id, name, body) ?? this.fieldsOf(caller, name, { url, command, credentials, timeout_ms, removed: false });
    return this.edit(caller, name, request, draft);
  }

  async remove(caller: Caller, name: string, request: EditRequest): Promise<Refusal | undefined> {
    const nothing = { url: null, command: null, credentials: [], timeout_ms: 0, removed: true };
    const draft = () =>
      upstreamOf(this.configuration.state, caller.tenant_id, name) ? this.fieldsOf(caller, name, nothing) : noSuchUpstream();
    const removed = await this.edit(caller, name, request, draft);
    return removed instanceof Refusal ? removed : undefined;
  }

  private async edit(
    { tenant_id }: Caller,
    name: string,
    request: EditRequest,
    draft: () => ChangeFields<'upstream_set'> | Refusal,
  ): Promise<WithHeaders<SetUpstreamAnswer> | Refusal> {
    const edited = await this.configuration.editEverywhere(request, {
      tenant_id,
      type: 'upstream_set',
      item: itemNames.upstream(name),
      draft,
    });
    if (edited instanceof Refusal) return edited;
    // What this edit set: another one may have come since.
    return { body: { ...setAnswer(edited.fields), ...edited.everywhere }, headers: { etag: edited.etag } };
  }

  private fieldsOf(
    { tenant_id, principal: by }: Caller,
    upstream: string,
    settings: Pick<ChangeFields<'upstream_set'>, 'url' | 'command' | 'credentials' | 'timeout_ms' | 'removed'>,
  ): ChangeFields<'upstream_set'> {
    const revision = (upstreamsOf(this.configuration.state, tenant_id).get(upstream)?.revision ?? 0) + 1;
    return { upstream, revision, ...settings, by, changed_at_ms: this.configuration.now_ms() };
  }

  private faultOf(tenant_id: string, name: string, body: UpstreamRequest): Refusal | undefined {
    if (!UPSTREAM_NAME.test(name)) return invalid('/name', `a name of an upstream matches ${UPSTREAM_NAME.source}`);
    return this.places.fault(body) ?? credentialsFault(body) ?? this.boundFault(tenant_id, name);
  }

  private boundFault(tenant_id: string, name: string): Refusal | undefined {
    const { state } = this.configuration;
    const known = upstreamsOf(state, tenant_id);
    const live = [...known.values()].filter(({ place }) => place !== null).length;
    const is_full = live >= UPSTREAM_BOUNDS.upstreams || (!known.has(name) && known.size >= UPSTREAM_BOUNDS.upstream_names);
    if (!upstreamOf(state, tenant_id, name) && is_full)
      return new Refusal(
        'conflict',
        `a tenant has at most ${UPSTREAM_BOUNDS.upstreams} upstreams, and ${UPSTREAM_BOUNDS.upstream_names} with removed ones`,
        {
          reason: 'upstream_limit_reached',
        },
      );
    if (openApiImportsOf(state, tenant_id).imports.has(name))
      return new Refusal('conflict', `tools of the import ${name} have the names of this upstream: choose another name`, {
        reason: 'tool_name_taken',
      });
    const taken = [...httpToolsOf(state, tenant_id).values()].find((tool) => tool.name.startsWith(`${name}__`));
    if (!taken) return undefined;
    const message = `the tool ${taken.name} has a name that the tools of this upstream would have: choose another name`;
    return new Refusal('conflict', message, { reason: 'tool_name_taken' });
  }

  private etag(tenant_id: string, name: string): string {
    return this.configuration.etag(tenant_id, itemNames.upstream(name));
  }
}

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'invalid', message }] });

/** A bearer token goes to an address, variables go to a command. */
function credentialsFault({ url, credentials }: UpstreamRequest): Refusal | undefined {
  const bearers = credentials.filter(({ env }) => env === null).length;
  if (url === undefined)
    return bearers > 0 ? invalid('/credentials', 'a command gets secrets in environment variables: name `env`') : undefined;
  if (bearers < credentials.length) return invalid('/credentials', 'an address gets a bearer token: it has no environment variables');
  return bearers > 1 ? invalid('/credentials', 'an address gets one bearer token') : undefined;
}
