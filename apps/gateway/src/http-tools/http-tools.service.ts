import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, Refusal } from '@countersign/calls';
import { canonicalText, contractDigest, type ToolContract } from '@countersign/contracts';
import {
  aliasedTool,
  type BrokenPromise,
  brokenPromise,
  type HttpTool,
  httpToolsOf,
  itemNames,
  newestOpenApiTools,
  parseSemver,
  type ToolAlias,
  toolVersions,
  upstreamOf,
  versionKey,
} from '@countersign/domain';
import type { AddressRules } from '@countersign/outbound';
import { SealedSecrets } from '@countersign/process';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { contractIn } from './http-tool-contract.js';
import type { HttpToolRequest, RegisteredHttpTool } from './http-tools.schemas.js';

/** Injection tokens: the allowed addresses of endpoints (AddressRules), and their secrets (SealedSecrets). */
export const ENDPOINT_ADDRESSES = Symbol('endpoint addresses');
export const ENDPOINT_SECRETS = Symbol('endpoint secrets');
/** Versions of HTTP tools of a tenant; none is ever removed, so that a version keeps its meaning. */
export const HTTP_TOOLS_MAX = 200;
const ANNOUNCED_WITHIN_MS = 5_000;
const LOOK_MS = 25;

/** A registration with its ETag. */
export interface Registration {
  body: RegisteredHttpTool;
  etag: string;
}

/** The registration that is being made, and the secret that a new version gets. */
interface Wanted {
  caller: Caller;
  contract: ToolContract;
  gated: boolean;
  rotates: boolean;
  sealed: string;
}

const taken = (name: string): Refusal =>
  new Refusal('conflict', `the name ${name} belongs to a tool of a pack of this installation`, { reason: 'tool_name_taken' });
const ofUpstream = (name: string, upstream: string): Refusal =>
  new Refusal('conflict', `the name ${name} is one that a tool of the upstream ${upstream} may have`, { reason: 'tool_name_taken' });
const ofAlias = ({ alias, name }: ToolAlias): Refusal =>
  new Refusal('conflict', `the name ${alias} is the alias of the tool ${name}`, { reason: 'tool_name_taken' });
const ofImport = (name: string, imported: string): Refusal =>
  new Refusal('conflict', `the name ${name} belongs to a tool of the import ${imported}`, { reason: 'tool_name_taken' });
const full = (): Refusal =>
  new Refusal('conflict', `a tenant has at most ${HTTP_TOOLS_MAX} versions of HTTP tools`, { reason: 'http_tool_limit_reached' });
const breaks = (version: string, { against, differences }: BrokenPromise): Refusal =>
  new Refusal('conflict', `version ${version} changes its contract more than its number allows, compared with ${against}`, {
    reason: 'tool_version_incompatible',
    against,
    differences,
  });

/** Registers tools that run at HTTPS endpoints of a tenant. Only this tenant can see and call them. */
@Injectable()
export class HttpToolsService {
  constructor(
    private readonly configuration: ConfigurationService,
    @Inject(ENDPOINT_ADDRESSES) private readonly addresses: AddressRules,
    @Inject(ENDPOINT_SECRETS) private readonly secrets: SealedSecrets,
  ) {}

  /** Registers a version, or changes the endpoint, contract or secret of a known one: another contract is a drift of that version. */
  async register(caller: Caller, request: HttpToolRequest, headers: EditRequest): Promise<Registration | Refusal> {
    const contract = this.endpointFault(request.endpoint) ?? contractIn(request);
    if (contract instanceof Refusal) return contract;
    const { tenant_id } = caller;
    const { name, version } = contract;
    const secret = this.secrets.mint();
    const sealed = this.secrets.seal(tenant_id, versionKey(name, version), secret);
    const wanted = { caller, contract, gated: request.needs_evaluation, rotates: request.rotate_secret, sealed };
    const draft = () => this.faultOf(tenant_id, contract) ?? this.fieldsOf(wanted);
    const edit = { tenant_id, type: 'http_tool_set' as const, item: itemNames.http_tool(name, version), draft };
    const edited = await this.configuration.editEverywhere(headers, edit);
    if (edited instanceof Refusal) return edited;
    const digest = contractDigest(contract);
    const lifecycle = await this.announced(tenant_id, contract, digest);
    const changed_at = new Date(edited.fields.changed_at_ms).toISOString();
    const signing_secret = edited.fields.secret_sealed === sealed ? secret : null;
    const body = { name, version, digest, endpoint: request.endpoint, lifecycle, signing_secret, changed_at, ...edited.everywhere };
    return { body, etag: edited.etag };
  }

  private endpointFault(url: string): Refusal | undefined {
    const fault = this.addresses.fault(url);
    if (!fault) return undefined;
    const { message } = fault;
    return new Refusal('invalid-request', `the endpoint is refused: ${message}`, {
      issues: [{ path: '/endpoint', code: 'refused', message }],
    });
  }

  private faultOf(tenant_id: string, contract: ToolContract): Refusal | undefined {
    const { state } = this.configuration;
    const { name, version } = contract;
    if (state.tools.has(name)) return taken(name);
    const [prefix = '', ...rest] = name.split('__');
    if (rest.length > 0 && upstreamOf(state, tenant_id, prefix)) return ofUpstream(name, prefix);
    if (newestOpenApiTools(state, tenant_id, prefix).has(name)) return ofImport(name, prefix);
    const aliased = aliasedTool(state, tenant_id, name);
    if (aliased) return ofAlias(aliased);
    const known = this.known(tenant_id, name, version);
    if (known) return undefined;
    if (httpToolsOf(state, tenant_id).size >= HTTP_TOOLS_MAX) return full();
    const semver = parseSemver(version);
    const versions = state.by_tenant.get(tenant_id)?.tools?.get(name) ?? [];
    const broken = semver && brokenPromise(versions, contract, semver);
    return broken && breaks(version, broken);
  }

  /** A version keeps its secret, unless the request rotates it. */
  private fieldsOf({ caller, contract, gated, rotates, sealed }: Wanted) {
    const { name: tool, version } = contract;
    const known = this.known(caller.tenant_id, tool, version);
    const secret_sealed = known && !rotates ? known.secret_sealed : sealed;
    const changed_at_ms = this.configuration.now_ms();
    return { tool, version, contract_json: canonicalText(contract), secret_sealed, gated, by: caller.principal, changed_at_ms };
  }

  private known(tenant_id: string, name: string, version: string): HttpTool | undefined {
    return httpToolsOf(this.configuration.state, tenant_id).get(versionKey(name, version));
  }

  /** Waits until an executor has announced the contract. Null: none has in time. */
  private async announced(tenant_id: string, { name, version }: ToolContract, digest: string): Promise<RegisteredHttpTool['lifecycle']> {
    const until_ms = performance.now() + ANNOUNCED_WITHIN_MS;
    for (;;) {
      const found = toolVersions(this.configuration.state, tenant_id, name).find(({ tool }) => tool.version === version);
      if (found?.tool.digest === digest) return found.lifecycle;
      if (performance.now() > until_ms) return null;
      await sleep(LOOK_MS);
    }
  }
}
