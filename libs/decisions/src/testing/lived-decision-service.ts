import { isReadOnly } from '@countersign/contracts';
import type { RulingState } from '@countersign/domain';
import { SimulatedKeys } from '../counterfactual/simulated-keys.js';
import { SimulatedLimits } from '../counterfactual/simulated-limits.js';
import { judgeCall, refusedAtExecution } from '../judge-call.js';
import type { Judged } from '../judged.js';
import { dependsOn, prerequisiteRuling } from '../prerequisites.js';
import type { Question } from '../question.js';
import { TenantRulings } from '../tenant-rulings.js';
import { afterWaiting } from '../waiting.js';
import { LivedHistory } from './lived-history.js';
import { type LivedSettings, TENANT } from './lived-settings.js';

/** For specs: judges calls like policy's decision service, in memory. */
export class LivedDecisionService {
  readonly limits = new SimulatedLimits();
  readonly keys = new SimulatedKeys();
  readonly rulings: TenantRulings;
  readonly statuses = new Map<string, string>();
  readonly history = new LivedHistory();

  constructor(
    private readonly settings: LivedSettings,
    private readonly state: RulingState,
  ) {
    this.rulings = new TenantRulings(() => settings.now_ms);
  }

  judged(question: Question): Judged {
    const { call, call_id, at_ms, at_execution, resumed, key_is_known, held_by } = question;
    const { config } = this.settings;
    const history_json = this.history.historyFor(this.rulings, config, question);
    const plain = judgeCall(this.rulings, config, { tenant_id: TENANT, call, at_ms, waited: resumed?.waited ?? [], history_json });
    const judged = at_execution ? refusedAtExecution(plain) : plain;
    const statuses = new Map(dependsOn(call).map((other) => [`${TENANT}/${other}`, this.statuses.get(other) ?? 'running']));
    if (statuses.size > 0 && judged.judgement.effect !== 'deny')
      judged.judgement = prerequisiteRuling({ tenant_id: TENANT, call, at_ms }, statuses, judged.judgement) ?? judged.judgement;
    judged.judgement = afterWaiting(resumed, judged.judgement);
    const { effect } = judged.judgement;
    const counts = judged.demands.length > 0 && (effect === 'allow' || effect === 'require_approval');
    if (!isReadOnly(call.effect_class) && !key_is_known && (effect === 'require_approval' || (counts && !held_by)))
      judged.key_holder = this.keys.holder(TENANT, call, this.settings.config, this.settings.now_ms);
    if (!counts) return judged;
    this.limits.settle(this.state.limits);
    judged.key_holder ??= held_by;
    if (!key_is_known && (!judged.key_holder || judged.key_holder.call_id === call_id)) this.limits.reserve(question, judged);
    return judged;
  }
}
