import { isReadOnly } from '@countersign/contracts';
import type { ConfigurationState, KeyHolder, Withdrawal } from '@countersign/domain';
import { type CallToJudge, judgeCall, refusedAtExecution } from '../judge-call.js';
import type { Judged } from '../judged.js';
import { dependsOn, prerequisiteRuling } from '../prerequisites.js';
import type { Question } from '../question.js';
import type { TenantRulings } from '../tenant-rulings.js';
import { afterWaiting } from '../waiting.js';
import { SimulatedHistory } from './simulated-history.js';
import type { SimulatedTrust } from './simulated-trust.js';
import type { SimulatedWorld } from './simulated-world.js';

const WITHDRAWS: ReadonlySet<string> = new Set(['lifecycle.blocked', 'contract.suspended', 'tool.changed']);
const NOT_MAPPED = 'a cap would lower its inputs, and the mapped form of the lowered inputs is not on record';
/** Two times within this tolerance count as the same time. */
const SAME_MS = 5;

/** Judges calls like policy's decision service, but uses the records and the changed world instead of a database. */
export class SimulatedDecisionService {
  private readonly history: SimulatedHistory;

  constructor(
    private readonly world: SimulatedWorld,
    private readonly rulings: TenantRulings,
    private readonly trust: SimulatedTrust,
  ) {
    this.history = new SimulatedHistory(world, rulings);
  }

  /** Undefined: a fact that the ruling depends on is unknown, so the ruling is unknown. */
  judge(question: Question): Judged | undefined {
    const { tenant_id, call_id, at_ms, at_execution, resumed } = question;
    const call = this.withMappedForm(question);
    const config = this.configurationFor(call_id, question.revision);
    const reported = this.history.historyFor(question, config);
    const because = 'unknown' in reported ? reported.unknown : this.trust.whyUnknown(tenant_id, call_id, call, config);
    if (because || 'unknown' in reported) {
      if (because) this.world.cannotKnow(call_id, because);
      return undefined;
    }
    const toJudge = { tenant_id, call, at_ms, waited: resumed?.waited ?? [], history_json: reported.value };
    const ruled = this.judgeMapped(question, config, toJudge);
    if (!ruled) return undefined;
    const judged = at_execution ? refusedAtExecution(ruled) : ruled;
    if (call.mapped && !question.call.mapped) judged.mapped ??= call.mapped;
    if (judged.judgement.effect !== 'deny' && dependsOn(call).length > 0 && !this.addPrerequisites(question, judged)) return undefined;
    judged.judgement = afterWaiting(resumed, judged.judgement);
    if (this.looksUp(question, judged)) judged.key_holder = this.holderOf(question, config);
    this.askLimits(question, judged);
    return judged;
  }

  /** The mapped form of inputs that a cap lowers is known only if it is recorded. */
  private judgeMapped({ call_id, revision }: Question, config: ConfigurationState, toJudge: CallToJudge): Judged | undefined {
    const judged = judgeCall(this.rulings, config, toJudge);
    if (judged.unmapped_json === undefined) return judged;
    const { inputs_json, mapped } = this.world.records.get(call_id)?.rulings.get(revision)?.event.call ?? {};
    if (mapped && inputs_json === judged.unmapped_json)
      return judgeCall(this.rulings, config, { ...toJudge, remapped: { inputs_json, mapped } });
    this.world.cannotKnow(call_id, { what: 'ruling', why: NOT_MAPPED, call_id: null });
    return undefined;
  }

  /** A call requested before mappings were applied at admission gets its mapped form from its ruling. */
  private withMappedForm({ call_id, revision, call }: Question): Question['call'] {
    const ruled = this.world.records.get(call_id)?.rulings.get(revision)?.event.call;
    return !call.mapped && ruled?.mapped && ruled.inputs_json === call.inputs_json ? { ...call, mapped: ruled.mapped } : call;
  }

  /** Reserves the demands of the call on limits, unless it shares the effect of another call. */
  askLimits(question: Question, judged: Judged): void {
    const { call_id, key_is_known, held_by } = question;
    if (!asksLimits(judged)) return;
    this.world.limits.settle(this.world.rulings.limits);
    judged.key_holder ??= held_by;
    if (key_is_known || (judged.key_holder !== undefined && judged.key_holder.call_id !== call_id)) return;
    const uncertain = this.world.limits.reserve(question, judged);
    if (uncertain === undefined) return;
    this.world.cannotKnow(call_id, { what: 'ruling', why: `limit ${uncertain} counts a call whose result is not known`, call_id: null });
  }

  /** The configuration of the recorded ruling if the revision is ruled at the same time; else the current one. */
  configurationFor(call_id: string, revision: number): ConfigurationState {
    const { now_ms, history, records } = this.world;
    const recorded = records.get(call_id)?.rulings.get(revision);
    const isThen = recorded && Math.abs(records.statedAt(recorded) - now_ms) <= SAME_MS;
    return isThen ? history.at(recorded.event.config_offset, recorded.timestamp_ms) : history.asOf(now_ms);
  }

  /** The ruling on a waiting call whose version may no longer run. */
  withdrawalOf(waiting: { meta: { tenant_id: string }; call: Question['call'] }): Withdrawal | undefined {
    const { call, meta } = waiting;
    const config = this.world.history.asOf(this.world.now_ms);
    const judged = judgeCall(this.rulings, config, { tenant_id: meta.tenant_id, call, at_ms: call.requested_at_ms });
    return judged.judgement.effect === 'deny' && WITHDRAWS.has(judged.judgement.rule) ? judged : undefined;
  }

  private looksUp({ call, key_is_known, held_by }: Question, judged: Judged): boolean {
    if (isReadOnly(call.effect_class) || key_is_known) return false;
    return judged.judgement.effect === 'require_approval' || (asksLimits(judged) && held_by === undefined);
  }

  /** The holder of the key. If neither call is affected, the holder that policy saw at the time. */
  private holderOf({ call_id, revision, tenant_id, call, answer_gone }: Question, config: ConfigurationState): KeyHolder | undefined {
    const { records, affected, keys, now_ms } = this.world;
    const found = answer_gone ? undefined : keys.holder(tenant_id, call, config, now_ms);
    const recorded = records.get(call_id)?.rulings.get(revision)?.event;
    const joined = recorded?.joined_call_id ?? undefined;
    const other = found?.call_id ?? joined;
    if (!recorded || affected.has(call_id) || (other !== undefined && affected.has(other))) return found;
    if (recorded.rule === 'key.other_inputs') return { call_id: other ?? call_id, same_inputs: false };
    return joined === undefined ? undefined : { call_id: joined, same_inputs: true };
  }

  /** @returns false if a call that it depends on has an unknown outcome. */
  private addPrerequisites(question: Question, judged: Judged): boolean {
    const { tenant_id, call, call_id, at_ms, revision } = question;
    const { records, affected, calls } = this.world;
    const seen = records.get(call_id)?.rulings.get(revision)?.event;
    const statuses = new Map<string, string>();
    for (const other of dependsOn(call)) {
      const because = this.whyUnknown(other);
      if (because !== undefined) {
        this.world.cannotKnow(call_id, { what: 'ruling', why: because, call_id: other });
        return false;
      }
      // The views that policy reads lag slightly: use the state that policy saw at the time.
      const wasBehind = !affected.has(other) && seen?.rule === 'prerequisite.running' && seen.defer?.call_ids.includes(other);
      const status = wasBehind ? 'running' : calls.has(other) ? this.world.status(other) : 'succeeded';
      statuses.set(`${tenant_id}/${other}`, status as string);
    }
    judged.judgement = prerequisiteRuling({ tenant_id, call, at_ms }, statuses, judged.judgement) ?? judged.judgement;
    return true;
  }

  private whyUnknown(call_id: string): string | undefined {
    const { changes, unknown } = this.world;
    if (changes.some((change) => change.kind === 'left_out' && change.call_id === call_id)) return 'it depends on a call that is left out';
    return unknown.has(call_id) ? 'it depends on a call whose outcome is unknown' : undefined;
  }
}

const asksLimits = ({ judgement, demands }: Judged): boolean =>
  demands.length > 0 && (judgement.effect === 'allow' || judgement.effect === 'require_approval');
