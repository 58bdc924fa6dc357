import { type Caller, type Issue, Refusal } from '@countersign/calls';
import { canonicalText, isReadOnly, type ToolContract } from '@countersign/contracts';
import {
  isRunnable,
  itemNames,
  listingOf,
  nextVersion,
  type Upstream,
  type UpstreamOverlay,
  type UpstreamTool,
  upstreamContract,
  upstreamOf,
  upstreamToolsOf,
} from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { always } from '../configuration/configuration-edits.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { changedMeanwhile } from '../configuration/precondition.js';
import type { Everywhere } from '../configuration/running-instances.js';
import { aliasFault } from './alias-fault.js';
import { classificationFault, isGuarded } from './classification-precondition.js';
import { type NamedTool, overlayFaults } from './overlay-faults.js';
import { type ToolTags, toolTags } from './upstream-tags.js';
import type { Classification, ClassificationAnswer, ClassificationRequest } from './upstreams.schemas.js';
import { noSuchUpstream } from './upstreams.service.js';

/** Versions of one tool of an upstream: each is kept with its contract. */
const VERSIONS_MAX = 100;
const CONTRACT_CHARS_MAX = 65_536;
const AT_ONCE = { headers: { prefer: 'wait=0' } };

type Draft = ChangeFields<'upstream_tool_classified'>;
/** Null: it is classified so already. */
type Drafted = Draft | null | { issues: Issue[] };

/** Operators say what the effect of a tool of an upstream is, and which definition of it agents see. */
@Injectable()
export class ClassificationsService {
  constructor(private readonly configuration: ConfigurationService) {}

  /**
   * All are checked first: one fault refuses all. With `If-Match`, or the ETag of a tool, a tool that changes between the check and the
   * write is left out; if none is left, the answer is 412.
   */
  async classify(
    caller: Caller,
    name: string,
    { tools }: ClassificationRequest,
    request: EditRequest,
  ): Promise<ClassificationAnswer | Refusal> {
    const { tenant_id } = caller;
    if (!upstreamOf(this.configuration.state, tenant_id, name)) return noSuchUpstream();
    const late = classificationFault(request, tools, this.tagsOf(tenant_id, name));
    if (late) return late;
    const issues = this.faultsOf(caller, name, tools);
    if (issues.length > 0) return invalid(issues);
    const versions = new Map(tools.map(({ tool }) => [tool, this.configuration.etag(tenant_id, itemNames.upstream_tool(name, tool))]));
    // A write may name a read of the same request.
    const order = tools.toSorted((a, b) => Number(isReadOnly(b.effect_class)) - Number(isReadOnly(a.effect_class)));
    const problems = new Map<string, Refusal>();
    let everywhere: Everywhere = { config_offset: this.configuration.state.config_offset, instances: null };
    for (const [at, classification] of order.entries()) {
      const draft = () => this.draft(caller, name, classification, tools);
      if (draft() === null) continue;
      const { prefer } = (at === order.length - 1 ? request : AT_ONCE).headers;
      const if_match = isGuarded(request, classification) ? versions.get(classification.tool) : undefined;
      const written = await this.write(tenant_id, name, classification, { draft, request: { headers: { prefer, 'if-match': if_match } } });
      if (written instanceof Refusal) problems.set(classification.tool, written);
      else everywhere = written;
    }
    if (tools.every(({ tool }) => problems.get(tool)?.kind === 'precondition-failed'))
      return changedMeanwhile(this.tagsOf(tenant_id, name).all, request.headers['if-match']);
    return { items: tools.map(({ tool }) => this.item(tenant_id, name, tool, problems.get(tool)?.detail)), ...everywhere };
  }

  private tagsOf(tenant_id: string, name: string): ToolTags {
    return toolTags(this.configuration, tenant_id, upstreamToolsOf(this.configuration.state, tenant_id, name));
  }

  private async write(
    tenant_id: string,
    upstream: string,
    { tool }: Classification,
    { draft, request }: { draft: () => Drafted; request: EditRequest },
  ): Promise<Everywhere | Refusal> {
    const edited = await this.configuration.editEverywhere(request, {
      tenant_id,
      type: 'upstream_tool_classified',
      item: itemNames.upstream_tool(upstream, tool),
      exists: always,
      against: () => [itemNames.upstream(upstream)],
      draft: () => {
        const drafted = draft();
        if (drafted === null) return classifiedMeanwhile();
        return 'issues' in drafted ? invalid(drafted.issues) : drafted;
      },
    });
    return edited instanceof Refusal ? edited : edited.everywhere;
  }

  private faultsOf(caller: Caller, name: string, tools: readonly Classification[]): Issue[] {
    const seen = new Set<string>();
    return tools.flatMap((classification, at) => {
      const path = `/tools/${at}`;
      if (seen.has(classification.tool)) return [{ path: `${path}/tool`, code: 'repeated', message: 'the tool is named twice' }];
      seen.add(classification.tool);
      const drafted = this.draft(caller, name, classification, tools);
      return drafted && 'issues' in drafted ? drafted.issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` })) : [];
    });
  }

  private draft(
    { tenant_id, principal: by }: Caller,
    name: string,
    classification: Classification,
    all: readonly Classification[],
  ): Drafted {
    const { state } = this.configuration;
    const upstream = upstreamOf(state, tenant_id, name);
    const tools = upstreamToolsOf(state, tenant_id, name);
    const found = tools.find(({ tool }) => tool === classification.tool);
    if (!upstream?.place || !found) return faulty('/tool', 'not_found', `the upstream ${name} has no tool of this name`);
    if (found.name === undefined) return faulty('/tool', 'name_collision', 'its name is that of another tool of the upstream');
    const definition = this.definitionsOf(tenant_id, upstream, found).find(({ digest }) => digest === classification.digest)?.definition;
    if (!definition) return faulty('/digest', 'changed', 'the upstream has another definition of this tool now: read it again');
    if (!refusesListed(classification, found))
      return faulty('/refused_digest', 'changed', 'only the listed definition can be refused, beside a pinned one: read it again');
    const { tool, digest, etag: _, ...declared } = classification;
    const overlay = JSON.parse(JSON.stringify(declared)) as UpstreamOverlay;
    const kept = keptOf(upstream, tool);
    if (kept && kept.digest === digest && canonicalText(kept.overlay) === canonicalText(overlay)) return null;
    const parts = { name: found.name, upstream: { ...upstream, place: upstream.place }, definition, overlay };
    const newer = upstreamContract({ ...parts, version: '1.0.0' });
    const issues = overlayFaults(overlay, { contract: newer, definition, named: (other) => namedTool(other, tools, all) });
    if (issues.length > 0) return { issues };
    const taken = newer.upstream?.alias && aliasFault(state, tenant_id, { ...newer.upstream, alias: newer.upstream.alias });
    if (taken) return { issues: [taken] };
    // A refusal of what the upstream says now changes no contract.
    const is_same = kept && found.contract && canonicalText({ ...newer, version: found.version }) === canonicalText(found.contract);
    const version = is_same ? found.version : nextVersion(found.version, kept && found.contract, newer);
    const bound = this.boundFault(tenant_id, { ...newer, version });
    if (bound) return { issues: [bound] };
    const { place_revision } = upstream;
    const said = { definition_json: JSON.stringify(definition), overlay_json: JSON.stringify(overlay) };
    return { upstream: name, tool, digest, ...said, version, place_revision, by, changed_at_ms: this.configuration.now_ms() };
  }

  /** Definitions that an operator may pin: what the upstream lists at its present place, and what is pinned for that place. */
  private definitionsOf(tenant_id: string, upstream: Upstream, { tool, pinned }: UpstreamTool) {
    const listing = listingOf(this.configuration.state, tenant_id, upstream.name);
    const seen = listing?.place_revision === upstream.place_revision ? listing.tools.get(tool) : undefined;
    const current = seen && listing?.definitions.get(seen.current);
    const has_moved = upstream.classified.has(tool) && !keptOf(upstream, tool);
    return [...(current && seen ? [{ digest: seen.current, definition: current }] : []), ...(pinned && !has_moved ? [pinned] : [])];
  }

  private boundFault(tenant_id: string, contract: ToolContract): Issue | undefined {
    const versions = this.configuration.state.by_tenant.get(tenant_id)?.tools?.get(contract.name)?.length ?? 0;
    if (versions >= VERSIONS_MAX)
      return { path: '/tool', code: 'limit', message: `a tool of an upstream has at most ${VERSIONS_MAX} versions` };
    const chars = canonicalText(contract).length;
    const message = `the contract has ${chars} characters; at most ${CONTRACT_CHARS_MAX} are allowed`;
    return chars > CONTRACT_CHARS_MAX ? { path: '', code: 'limit', message } : undefined;
  }

  private item(tenant_id: string, name: string, tool: string, problem: string | undefined): ClassificationAnswer['items'][number] {
    const found = upstreamToolsOf(this.configuration.state, tenant_id, name).find((each) => each.tool === tool);
    return {
      tool,
      name: found?.name ?? null,
      version: problem === undefined ? (found?.version ?? null) : null,
      state: found?.state ?? null,
      problem: problem ?? null,
    };
  }
}

const faulty = (path: string, code: string, message: string): { issues: Issue[] } => ({ issues: [{ path, code, message }] });
const classifiedMeanwhile = (): Refusal =>
  new Refusal('conflict', 'another request classified it so at the same time', { reason: 'changed_concurrently' });

/** Whether what a classification refuses is what the upstream lists beside the pinned definition. */
const refusesListed = ({ refused_digest, digest }: Classification, { listed }: UpstreamTool): boolean =>
  refused_digest === undefined || (refused_digest === listed?.digest && refused_digest !== digest);

/** What was declared of a tool at the present place. */
function keptOf({ classified, place_revision }: Upstream, tool: string) {
  const kept = classified.get(tool);
  return kept && kept.place_revision >= place_revision ? kept : undefined;
}

function invalid(issues: Issue[]): Refusal {
  const [first] = issues;
  return new Refusal('invalid-request', first ? `${first.path}: ${first.message}` : 'the classification is not valid', {
    issues: issues.slice(0, 50),
  });
}

/** A tool that another one names: as this request classifies it, else as it is classified. */
function namedTool(tool: string, tools: readonly UpstreamTool[], all: readonly Classification[]): NamedTool | undefined {
  const found = tools.find((each) => each.tool === tool);
  if (!found?.pinned || !isRunnable(found)) return undefined;
  const here = all.find((each) => each.tool === tool)?.effect_class;
  return { definition: found.pinned.definition, effect_class: here ?? (found.is_classified ? found.overlay.effect_class : null) };
}
