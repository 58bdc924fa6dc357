import { callError, effectRules, type ToolCall } from '@countersign/contracts';
import type { EditQuestion, Judged, Question } from '@countersign/decisions';
import type { ConfigurationState } from '@countersign/domain';
import { counterKey } from '@countersign/policy';
import { type OpenedCall, type Personal, rulesAbout } from '@countersign/process';

const CAUSE_HIDDEN = 'its condition failed; the cause contains personal data and is not shown';

/** A question about an encrypted call, with decrypted inputs; `erased`: its inputs can no longer be decrypted. */
export interface OpenedQuestion extends Question {
  opened?: OpenedCall | 'erased';
}

const isSealed = ({ call }: { call: ToolCall }): boolean => call.sealed !== null;

/** Lets the policy service decide encrypted calls in memory, and keeps personal data out of its decisions. */
export class PersonalQuestions {
  constructor(
    private readonly personal: Personal | undefined,
    private readonly state: () => ConfigurationState,
  ) {}

  /** Returns the questions synchronously if none is encrypted. @throws InfrastructureFault if the keys are unavailable */
  opened(questions: readonly Question[]): readonly OpenedQuestion[] | Promise<readonly OpenedQuestion[]> {
    return questions.some(isSealed) ? Promise.all(questions.map((question) => this.open(question))) : questions;
  }

  async edit(edit: EditQuestion): Promise<EditQuestion & Pick<OpenedQuestion, 'opened'>> {
    return isSealed(edit) ? this.open(edit) : edit;
  }

  /** The decision on an encrypted call, without values of its inputs. */
  guarded(
    config: ConfigurationState,
    { opened, call, tenant_id }: Pick<OpenedQuestion, 'opened' | 'call' | 'tenant_id'>,
    judged: Judged,
  ): Judged {
    if (opened === undefined) return judged;
    if (opened === 'erased') return erased(config, call, judged);
    const { inputs_json, mapped, demands, judgement } = judged;
    const { explanation, reason } = judgement;
    const errors = explanation?.errors ?? [];
    const isOwnError = reason && errors.some(({ why }) => reason.message.includes(why));
    return {
      ...judged,
      judgement: {
        ...judgement,
        reason: isOwnError
          ? { ...reason, message: `the condition of rule ${judgement.rule} failed` }
          : this.withoutValues(opened, judgement),
        ...(explanation
          ? {
              explanation: {
                ...explanation,
                errors: errors.map(({ rule }) => ({ rule, why: CAUSE_HIDDEN })),
                inputs_digest: explanation.inputs_digest === null ? null : call.inputs_digest,
              },
            }
          : {}),
      },
      inputs_json: inputs_json === undefined ? undefined : opened.seal.inputs(inputs_json),
      mapped: mapped && opened.seal.mapped(mapped),
      demands: demands.map((demand) => (demand.per === '' ? demand : this.hidden(tenant_id, demand))),
    };
  }

  /** Removes input values from the reason why a mapping refuses inputs. */
  private withoutValues({ seal }: OpenedCall, { rule, reason }: Judged['judgement']): Judged['judgement']['reason'] {
    return reason && rule === 'mapping.refused' ? seal.error(reason) : reason;
  }

  /** Replaces the counter key by a pseudonym; equal keys stay equal. */
  private hidden<D extends Judged['demands'][number]>(tenant_id: string, demand: D): D {
    const per = (this.personal as Personal).ref(tenant_id, `per/${demand.per}`);
    return { ...demand, per, counter: counterKey(tenant_id, demand.limit_id, demand.subject, per) };
  }

  private async open<Q extends { tenant_id: string; call: ToolCall }>(question: Q): Promise<Q & Pick<OpenedQuestion, 'opened'>> {
    const { tenant_id, call } = question;
    if (!isSealed(question)) return question;
    const rules = rulesAbout(this.state(), tenant_id, { tool: call.tool, markings: call.authority?.markings ?? [] });
    const opened = (await this.personal?.open(tenant_id, call, rules)) ?? 'erased';
    return { ...question, call: opened === 'erased' ? call : opened.call, opened };
  }
}

/** Denies a call whose inputs are erased: unreadable inputs cannot be allowed. */
function erased(config: ConfigurationState, call: ToolCall, judged: Judged): Judged {
  const rule = 'subject.erased';
  const message = 'the personal data of the call was erased before it was decided';
  const reason = callError('VALIDATION_ERROR', message, { details: { rule, reason: 'subject_erased' } });
  const { config_offset } = config;
  const mode = effectRules[call.effect_class].approval_mode;
  const judgement = { ...judged.judgement, effect: 'deny' as const, tier: 'tier_3_blocked' as const, approval_mode_effective: mode };
  return {
    judgement: { ...judgement, rule, reason, explanation: null, defer: null },
    reversibility: judged.reversibility,
    unfamiliar: judged.unfamiliar,
    config_offset,
    key_holder: undefined,
    demands: [],
  };
}
