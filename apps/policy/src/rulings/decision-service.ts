import { setImmediate as nextTurn } from 'node:timers/promises';
import { callError, isReadOnly, type SimilarCall, type ToolCall } from '@countersign/contracts';
import {
  afterWaiting,
  deniedBy,
  type EditQuestion,
  type Judged,
  judgeCall,
  type Question,
  refusedAtExecution,
  type TenantRulings,
  unmappable,
} from '@countersign/decisions';
import type { ConfigurationState, KeyHolder, Withdrawal } from '@countersign/domain';
import type { EventLog, FoldedTopics } from '@countersign/event-log';
import type { GuardRefusal } from '@countersign/policy';
import type { Answered, LimitService } from '../limits/limit-service.js';
import type { Where } from '../limits/limit-store.js';
import type { HistoryLookup, WithHistory } from './history-lookup.js';
import type { MappedQuestion, MappedQuestions } from './mapped-questions.js';
import type { OpenedQuestion, PersonalQuestions } from './personal-questions.js';
import type { StoreHealthCheck } from './store-health-check.js';
import { turnsOf } from './turns.js';

/** Looks up the holders of idempotency keys in `tool_executions`. */
export interface KeyHolders {
  /** Key → its holder, live or settled within the window. @throws InfrastructureFault */
  holdersOf(calls: readonly { tenant_id: string; call: ToolCall; answer_gone?: boolean }[]): Promise<ReadonlyMap<string, KeyHolder>>;
}

type RequestedQuestion = WithHistory<MappedQuestion>;

const AT_ONCE: GuardRefusal = {
  rule: 'edit.at_once',
  reason: callError('POLICY_DENIED', 'another edit of this request was made at the same time'),
};
const WITHDRAWS: ReadonlySet<string> = new Set(['lifecycle.blocked', 'contract.suspended', 'tool.changed']);
const TOPICS = ['configuration-changed', 'tool-registered'] as const;

/** Decides calls under the current configuration, and looks up the keys of calls that need approval (one query per batch). */
export class DecisionService {
  constructor(
    private readonly io: {
      configuration: FoldedTopics<ConfigurationState>;
      log: EventLog;
      pulse: StoreHealthCheck;
      personal: PersonalQuestions;
      mappings: MappedQuestions;
      histories: HistoryLookup;
    },
    private readonly keys: KeyHolders,
    readonly limits: LimitService,
    private readonly rulings: TenantRulings,
    private readonly similar: (tenant_id: string, call: ToolCall, before_ms: number) => Promise<SimilarCall[]>,
  ) {}

  /** One decision per question, in order. No I/O if no approval is needed and the configuration is recent enough. */
  async judge(requested: readonly Question[], where: Where): Promise<readonly Judged[]> {
    const opened = this.io.personal.opened(requested);
    const readable = opened instanceof Promise ? await opened : opened;
    const recovery = this.io.pulse.need();
    if (recovery) await recovery;
    const config_offset = newestSeen(readable);
    if (config_offset !== undefined) await this.io.configuration.folded('configuration-changed', config_offset);
    const mapped = this.io.mappings.complete(readable);
    const questions = mapped instanceof Promise ? await mapped : mapped;
    const withHistory = this.io.histories.of(questions);
    let answers = await this.judgeInTurns(withHistory instanceof Promise ? await withHistory : withHistory);
    if (answers.some(({ unfamiliar }) => unfamiliar)) {
      await this.catchUp();
      answers = await this.judgeInTurns(await this.io.histories.of(questions));
    }
    const answered = questions.map((question, i): Answered => [question, answers[i] as Judged]);
    await this.limits.prerequisites(answered);
    for (const [{ resumed }, judged] of answered) if (resumed) judged.judgement = afterWaiting(resumed, judged.judgement);
    const asking = answered.filter(([question, judged]) => this.needsLookUp(question, judged));
    if (asking.length > 0) {
      const holders = await this.keys.holdersOf(asking.map(([question]) => question));
      for (const [{ call }, judged] of asking) judged.key_holder = holders.get(call.idempotency_key);
      await this.addSimilar(answered);
    }
    await this.limits.reserve(where, answered);
    return answers;
  }

  /** Increases with every change that may stop a version from running. */
  get revocationEpoch(): number {
    return this.io.configuration.state.revocation_epoch;
  }

  /** The decision on a call whose version may no longer run: revoked, suspended, or with another contract than at the request. */
  withdrawalOf(tenant_id: string, call: ToolCall): Withdrawal | undefined {
    const judged = judgeCall(this.rulings, this.io.configuration.state, { tenant_id, call, at_ms: call.requested_at_ms });
    return judged.judgement.effect === 'deny' && WITHDRAWS.has(judged.judgement.rule) ? judged : undefined;
  }

  /** Adds the outcomes of similar calls as evidence, fixed before approval is requested. */
  private async addSimilar(answered: readonly Answered[]): Promise<void> {
    for (const [{ tenant_id, call, at_ms }, { evidence, judgement }] of answered)
      if (evidence && judgement.effect === 'require_approval') evidence.similar = await this.similar(tenant_id, call, at_ms);
  }

  /**
   * As `judge`, for edited inputs; `key_holder` is the call that holds their key. Limits are counted for the edited inputs if the edit is
   * otherwise valid (`stands`).
   */
  async judgeEdits(
    edits: readonly EditQuestion[],
    where: Where,
    stands: (edit: EditQuestion, judged: Judged) => boolean,
  ): Promise<ReadonlyMap<number, Judged>> {
    const answers = new Map<number, Judged>();
    if (edits.length > 0) await this.catchUp();
    for (const edit of edits) {
      const { offset, tenant_id, edited } = edit;
      const [question] = (await this.io.mappings.complete([await this.editQuestion(edit)])) as [MappedQuestion];
      const { call } = question;
      const [judged] = (await this.judgeInTurns(await this.io.histories.of([question]))) as [Judged];
      const { idempotency_key, discriminating_digest } = edited;
      const same = idempotency_key === call.idempotency_key;
      const holders = same
        ? undefined
        : await this.keys.holdersOf([{ tenant_id, call: { ...call, idempotency_key, discriminating_digest } }]);
      const answer: Judged = { ...judged, key_holder: holders?.get(idempotency_key) };
      if (edits.find(({ call_id }) => call_id === edit.call_id) !== edit) answer.judgement = deniedBy(AT_ONCE, judged.judgement);
      answers.set(offset, answer);
      if (stands(edit, answer)) await this.limits.reserve(where, [[question, answer]]);
    }
    return answers;
  }

  /** Inputs that a cap lowers are mapped and decided again. */
  private async judgeInTurns(questions: readonly RequestedQuestion[]): Promise<Judged[]> {
    const answers = await this.judgeAll(questions);
    for (const [at, { unmapped_json }] of answers.entries()) {
      if (unmapped_json === undefined) continue;
      // The gateway may have mapped the call with a version that this process has not read yet.
      await this.catchUp();
      const lowered = await this.io.mappings.lowered(questions[at] as RequestedQuestion, unmapped_json);
      answers[at] = this.judgeNow([lowered])[0] as Judged;
    }
    return answers;
  }

  /** Yields to the event loop between decisions on large inputs. */
  private async judgeAll(questions: readonly RequestedQuestion[]): Promise<Judged[]> {
    const [first = [], ...others] = turnsOf(questions, ({ call }) => call.inputs_json.length);
    const answers = this.judgeNow(first);
    for (const turn of others) {
      await nextTurn();
      answers.push(...this.judgeNow(turn));
    }
    return answers;
  }

  private judgeNow(questions: readonly RequestedQuestion[]): Judged[] {
    const { state } = this.io.configuration;
    return questions.map((question) => {
      const judged = this.io.personal.guarded(state, question, this.judgeOne(question));
      // Rules that never decided on the mapped inputs do so now for the first time, so they are not stricter than before.
      return question.at_execution && !question.late ? refusedAtExecution(judged) : judged;
    });
  }

  private judgeOne({ tenant_id, call, at_ms, resumed, late, unmappable: refused, remapped, history_json }: RequestedQuestion): Judged {
    const { state } = this.io.configuration;
    if (refused) return unmappable(state, call, refused.mapping_version, refused.issues);
    const waited = resumed?.waited ?? [];
    const judged = judgeCall(this.rulings, state, { tenant_id, call, at_ms, waited, history_json, remapped });
    return late && !judged.mapped ? { ...judged, mapped: late } : judged;
  }

  private async editQuestion(edit: EditQuestion): Promise<OpenedQuestion> {
    const opened = await this.io.personal.edit(edit);
    return { ...opened, at_execution: false, key_is_known: false, held_by: undefined };
  }

  private needsLookUp(question: Question, judged: Judged): boolean {
    const { call, key_is_known } = question;
    if (judged.judgement.effect === 'require_approval') return !key_is_known && !isReadOnly(call.effect_class);
    return this.limits.needsHolder([question, judged]);
  }

  /** Waits until this process has the configuration that is on the log now. */
  async catchUp(): Promise<void> {
    for (const topic of TOPICS) {
      const head = await this.io.log.head(topic, 0);
      if (head > 0) await this.io.configuration.folded(topic, head - 1);
    }
  }
}

/** The newest configuration offset that a question depends on; undefined if any will do. */
function newestSeen(questions: readonly Question[]): number | undefined {
  let newest: number | undefined;
  for (const { config_offset } of questions)
    if (config_offset !== undefined && (newest === undefined || config_offset > newest)) newest = config_offset;
  return newest;
}
