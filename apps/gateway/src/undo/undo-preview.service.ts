import { type Caller, effectOfCall, Readable, Refusal, reasonOf, undoFaultOf, undoUntilMs } from '@countersign/calls';
import { type CompensatedEffect, canonicalText, sha256Hex, type ToolCall } from '@countersign/contracts';
import { undoOf } from '@countersign/decisions';
import { type CallState, catalogued, statusOf, type ToolVersion } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { PolicyService } from '../policies/policy.service.js';
import { type RecordedEffect, RecordedEffects } from './recorded-effects.service.js';
import type { UndoItem, UndoPreview } from './undo.schemas.js';

/** The preview of an undo, and its effects. */
export interface PlannedUndo {
  preview: UndoPreview;
  /** In preview order. */
  effects: readonly RecordedEffect[];
}

type Approval = NonNullable<UndoItem['approval']>;

const time = (ms: number | null | undefined): string | null => (ms == null ? null : new Date(ms).toISOString());

/** Order of an effect. Generations start at the clock time, so an effect without a resource is ordered by its start time. */
const placeOf = ({ resources, state }: RecordedEffect): number =>
  resources?.generation ?? state.started?.fired_at_ms ?? state.end?.outcome.ended_at_ms ?? 0;

/** Newest effect first. */
const newestFirst = (a: RecordedEffect, b: RecordedEffect): number =>
  placeOf(b) - placeOf(a) || (b.state.end?.hlc ?? 0) - (a.state.end?.hlc ?? 0);

/** Previews an undo and what blocks it. Changes nothing. */
@Injectable()
export class UndoPreviews {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly policies: PolicyService,
    private readonly recorded: RecordedEffects,
    private readonly readable: Readable,
  ) {}

  async of(caller: Caller, states: readonly CallState[]): Promise<PlannedUndo | Refusal> {
    const effects: RecordedEffect[] = [];
    for (const state of states) {
      const effect = await this.recorded.of(state);
      if (effect instanceof Refusal) return effect;
      effects.push(effect);
    }
    effects.sort(newestFirst);
    const selected = new Set(states.map(({ call_id }) => call_id));
    const items: UndoItem[] = [];
    for (const effect of effects) items.push(await this.item(caller, effect, selected));
    const blocked_by = items
      .filter(({ undoable }) => undoable)
      .flatMap(({ changed_since }) => changed_since.filter((one) => !one.selected).map(({ call_id }) => call_id));
    const preview = { items, blocked_by: [...new Set(blocked_by)].sort() };
    return { preview: { ...preview, preview_digest: sha256Hex(canonicalText(JSON.parse(JSON.stringify(preview)))) }, effects };
  }

  private async item(caller: Caller, { state, later }: RecordedEffect, selected: ReadonlySet<string>): Promise<UndoItem> {
    const { call_id, call } = state;
    const judged = await this.judged(caller, state);
    const fault = judged instanceof Refusal ? judged : undefined;
    return {
      call_id,
      tool: call?.tool ?? '',
      version: call?.version ?? '',
      case_id: call?.case_id ?? null,
      status: statusOf(state),
      happened_at: time(state.end?.outcome.ended_at_ms),
      undoable: fault === undefined,
      reason: fault ? reasonOfRefusal(fault) : null,
      detail: fault?.detail ?? null,
      how: fault ? null : this.how(state),
      undo_until: time(this.undoUntil(state)),
      changed_since: later.map((one) => laterEffect(one, selected)),
      approval: judged instanceof Refusal ? null : judged,
    };
  }

  /** Why the call cannot be undone, regardless of the policy. */
  faultOf(state: CallState): Refusal | undefined {
    const found = this.undoable(state);
    return found instanceof Refusal ? found : undefined;
  }

  private undoable(state: CallState): { effect: CompensatedEffect; tool: ToolVersion } | Refusal {
    const found = effectOfCall(state, 'own');
    if (found instanceof Refusal) return found;
    const { tool: name, version } = state.call as ToolCall;
    const tool = catalogued(this.configuration.state, state.tenant_id, name, version);
    if (!tool) return new Refusal('not-undoable', `no executor runs ${name} ${version} anymore`, { reason: 'tool_not_available' });
    return undoFaultOf(tool, state, this.configuration.now_ms()) ?? { effect: found.effect, tool };
  }

  private undoUntil(state: CallState): number | null {
    const { call, tenant_id } = state;
    const tool = call && catalogued(this.configuration.state, tenant_id, call.tool, call.version);
    return tool ? undoUntilMs(tool, state) : null;
  }

  private how({ call, tenant_id }: CallState): string | null {
    const tool = call && catalogued(this.configuration.state, tenant_id, call.tool, call.version);
    return tool ? undoOf(tool.contract).undo : null;
  }

  /** The approval that the undo needs under the current rules, or why it is denied. */
  private async judged(caller: Caller, state: CallState): Promise<Approval | Refusal> {
    const found = this.undoable(state);
    if (found instanceof Refusal) return found;
    const { effect: undone, tool } = found;
    const [opened] = await this.readable.states(state.tenant_id, [state]);
    const call = undoCall(opened?.call ?? (state.call as ToolCall), undone, caller);
    const { effect, rule, approver_roles, quorum, reason } = this.policies.rulings.resolve(this.configuration.state, {
      tenant_id: state.tenant_id,
      tool,
      call,
    });
    if (effect === 'deny') return new Refusal('conflict', reason?.message ?? `rule ${rule} forbids it`, { reason: 'undo_denied' });
    const required = effect === 'require_approval';
    return { required, rule, approver_roles: required ? [...approver_roles] : [], quorum: required ? quorum : 0 };
  }
}

const undoCall = (call: ToolCall, compensates: CompensatedEffect, { principal, authority }: Caller): ToolCall => ({
  ...call,
  principal,
  authority,
  compensates,
});

function laterEffect(state: CallState, selected: ReadonlySet<string>): UndoItem['changed_since'][number] {
  const { call_id, call, end, started } = state;
  const principal = call ? { kind: call.principal.kind, id: call.principal.id } : null;
  const at = time(end?.outcome.ended_at_ms ?? started?.fired_at_ms);
  return { call_id, tool: call?.tool ?? '', principal, at, status: statusOf(state), selected: selected.has(call_id) };
}

export const reasonOfRefusal = ({ kind, more }: Pick<Refusal, 'kind' | 'more'>): string =>
  typeof more.reason === 'string' ? more.reason : reasonOf(kind);
