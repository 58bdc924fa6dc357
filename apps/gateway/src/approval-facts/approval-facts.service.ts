import { RecordedCalls, seenBy } from '@countersign/calls';
import type { ToolCall, ToolContract } from '@countersign/contracts';
import {
  type CallState,
  type ConfigurationState,
  catalogued,
  jsonDiff,
  lifecycleEntry,
  reportedKey,
  type ToolVersion,
  unpackCall,
} from '@countersign/domain';
import { type ApprovalRow, earlierEffects, similarApprovals, usedBefore } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type Sentence, sentenceOf, unknownToolSentence } from '../sentences/sentence.js';
import { isPersonal } from '../sentences/shown-value.js';
import { TrustReader } from '../trust/trust-reader.js';
import { amountAt, amountFact, amountPointer } from './amounts.js';
import type { ApprovalFacts, TrustFacts } from './approval-facts.schemas.js';
import { askedParts } from './asked-parts.js';
import { type History, historyOf } from './earlier-history.js';
import { firstTimes, recipientsOf } from './recipients.js';
import { type BothInputs, inputsOf } from './request-facts.js';
import { requestedBy } from './requester.js';
import { similarOf } from './similar.js';
import { trustOf } from './trust-facts.js';
import { undoTerms } from './undo-terms.js';
import { type Known, unusualFacts } from './unusual.js';

/** Calls that a request is compared with, and similar requests: the bound of the work for one reading. */
export const EARLIER_MAX = 200;
const SIMILAR_MAX = 5;
const CHANGES_MAX = 10;
const HOUR_MS = 3_600_000;

/** What the reader of a request may see. */
export interface FactsReader {
  clearances: readonly string[];
}

/** One request as its reader may see it. */
interface Subject {
  row: ApprovalRow;
  state: CallState;
  call: ToolCall;
  inputs: BothInputs | undefined;
  tool: ToolVersion | undefined;
  clearances: readonly string[];
  now_ms: number;
}

const NOTHING: Omit<ApprovalFacts, 'asked_because' | 'time_left_ms'> = {
  requested_by: null,
  unusual: [],
  amount: null,
  undo: null,
  similar: [],
  trust: null,
};

/** What an approver must know about a request, from recorded facts. Read for one request at a time, never while calls run. */
@Injectable()
export class ApprovalFactsService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly configuration: ConfigurationService,
    private readonly trust: TrustReader,
  ) {}

  /** What the call does, in one inert sentence. Without a query. */
  sentence(row: ApprovalRow, reader: FactsReader): Sentence | null {
    const subject = this.subjectOf(row, reader);
    if (!subject) return null;
    const { tool, call, inputs } = subject;
    return tool ? sentenceOf(tool.contract, inputs?.running) : unknownToolSentence(call.tool);
  }

  async of(row: ApprovalRow, reader: FactsReader): Promise<ApprovalFacts> {
    const subject = this.subjectOf(row, reader);
    const time_left_ms = row.status === 'pending' ? Math.max(0, row.expires_at_ms - this.configuration.now_ms()) : 0;
    if (!subject) return { ...NOTHING, asked_because: [], time_left_ms };
    const { call, now_ms, tool } = subject;
    const { tenant_id } = row;
    const by = requestedBy(this.state, tenant_id, call);
    const [history, similar, is_new] = await Promise.all([this.history(subject), this.similar(subject), this.isNewToTool(subject)]);
    const amount = this.amountOf(subject, history);
    const known = this.known(subject, { history, amount, is_new });
    return {
      requested_by: by,
      asked_because: askedParts(this.state, { row, by, tenant_id, now_ms }),
      unusual: unusualFacts(known),
      amount,
      undo: tool ? undoTerms(tool.contract, subject.state.end?.outcome.ended_at_ms ?? null) : null,
      similar,
      trust: this.trustIn(subject),
      time_left_ms,
    };
  }

  private get state(): ConfigurationState {
    return this.configuration.state;
  }

  private subjectOf(row: ApprovalRow, { clearances }: FactsReader): Subject | undefined {
    const state = row.state === null ? undefined : seenBy(unpackCall(row.state), { clearances });
    if (!state?.call) return undefined;
    const tool = catalogued(this.state, row.tenant_id, state.call.tool, state.call.version);
    const inputs = inputsOf(row, state, state.withheld !== undefined);
    return { row, state, call: state.call, inputs, tool, clearances, now_ms: row.ended_at_ms ?? this.configuration.now_ms() };
  }

  private async history({ row, call, tool, clearances, now_ms }: Subject): Promise<History | undefined> {
    if (!tool) return undefined;
    const { tenant_id, call_id: own_call_id } = row;
    const query = { tenant_id, tool: call.tool, before_ms: now_ms, own_call_id, limit: EARLIER_MAX };
    const rows = await earlierEffects(this.calls.views.store, query);
    const amount = this.amountPointer(tenant_id, tool.contract);
    return historyOf({ rows, limit: EARLIER_MAX, clearances, call, contract: tool.contract, amount, now_ms });
  }

  private async similar({ row, call, clearances }: Subject): Promise<ApprovalFacts['similar']> {
    const { tenant_id, approval_id: own_approval_id, requested_at_ms: before_ms } = row;
    const query = { tenant_id, tool: call.tool, rule: row.requirement.rule, before_ms, own_approval_id, limit: SIMILAR_MAX };
    const rows = await similarApprovals(this.calls.views.store, query);
    const contractOf = (version: string) => catalogued(this.state, tenant_id, call.tool, version)?.contract;
    return similarOf({ rows, clearances, call, contractOf });
  }

  private async isNewToTool({ row, call, now_ms }: Subject): Promise<boolean> {
    if (call.principal.kind !== 'agent') return false;
    const ask = { n: 0, tenant_id: row.tenant_id, agent: call.principal.id, hour: Math.floor(now_ms / HOUR_MS), tool: call.tool };
    return !(await usedBefore(this.calls.views.store, [ask])).has(0);
  }

  /** From the scores in memory: their terms would cost a query over all calls of the tenant. */
  private trustIn({ row: { tenant_id }, call }: Subject): TrustFacts {
    const { tool, version, principal } = call;
    const of = `/v1/tools/${encodeURIComponent(tool)}/trust?version=${encodeURIComponent(version)}`;
    const agent = trustOf(this.published(tenant_id, 'agent', principal.id, null), `/v1/trust/agents/${encodeURIComponent(principal.id)}`);
    return { tool: trustOf(this.published(tenant_id, 'tool', tool, version), of), agent: principal.kind === 'agent' ? agent : null };
  }

  private published(tenant_id: string, kind: 'tool' | 'agent', id: string, version: string | null) {
    return this.trust.parts.trustScores.scores.get(reportedKey(tenant_id, kind, id, version));
  }

  private amountPointer(tenant_id: string, contract: ToolContract): string | undefined {
    const limits = this.state.by_tenant.get(tenant_id)?.limits?.active ?? [];
    return amountPointer(
      contract,
      limits.filter(({ tools }) => tools.includes(contract.name)),
    );
  }

  private amountOf({ row, inputs, tool }: Subject, history: History | undefined): ApprovalFacts['amount'] {
    const pointer = tool && this.amountPointer(row.tenant_id, tool.contract);
    const value = pointer === undefined ? undefined : amountAt(inputs?.running, pointer);
    if (pointer === undefined || value === undefined || !history) return null;
    return amountFact(pointer, value, history.amounts, history.amounts_complete);
  }

  private known(
    { row, call, inputs, tool, now_ms }: Subject,
    { history, amount, is_new }: { history: History | undefined; amount: ApprovalFacts['amount']; is_new: boolean },
  ): Known {
    const { tenant_id } = row;
    const { tool: name, version, contract_digest, principal } = call;
    const agent = { id: principal.id, is_new_to_tool: is_new, trust: this.published(tenant_id, 'agent', principal.id, null) };
    const mine = tool ? recipientsOf(tool.contract, inputs?.running) : [];
    const declared = (tool?.contract.resources?.length ?? 0) > 0;
    return {
      now_ms,
      call: { tool: name, version, contract_digest },
      agent: principal.kind === 'agent' ? agent : null,
      tool_trust: this.published(tenant_id, 'tool', name, version),
      mapped: mappedBy(inputs),
      edited_by: row.requirement.edit?.by.id ?? null,
      earlier: history?.earlier ?? { count: 0, complete: false, since_ms: null, versions: [], contract_digest: null },
      first_for: history ? firstTimes(mine, history.recipients, declared) : [],
      amount,
      lifecycle: lifecycleEntry(this.state.by_tenant.get(tenant_id), name, version),
    };
  }
}

/** The inputs that a mapping changed, by their JSON Pointers; their values stay out. */
function mappedBy(inputs: BothInputs | undefined): Known['mapped'] {
  if (!inputs?.is_mapped) return null;
  const changes = isPersonal(inputs.running) ? [''] : jsonDiff(inputs.asked, inputs.running).map(({ path }) => path);
  return { version: inputs.mapping_version, changes: changes.slice(0, CHANGES_MAX) };
}
