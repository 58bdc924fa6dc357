import { type Caller, CallSealer, Refusal, Views } from '@countersign/calls';
import { canonicalText, type SagaUndoneEffect, sha256Hex, type ToolCall } from '@countersign/contracts';
import { tenantOf, undoDefinition } from '@countersign/domain';
import { countOpenUndos } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { SagaIdentity } from '../sagas/saga-identity.js';
import { SagaLaunches } from '../sagas/saga-launches.service.js';
import type { RecordedEffect } from './recorded-effects.service.js';
import type { PlannedUndo } from './undo-preview.service.js';
import { undoneResources } from './undone-resources.js';

/** Open sagas of one tenant that undo earlier calls. Its other sagas do not count, so that they cannot prevent an undo. */
export const OPEN_UNDOS_MAX = 100;

interface UndoBy {
  caller: Caller;
  preview_digest: string;
  reason: string | undefined;
}

const tooMany = (): Refusal =>
  new Refusal('too-many-sagas', `the tenant has ${OPEN_UNDOS_MAX} undos of several calls that have not ended, which is its cap`);

/** Requests sagas that undo earlier calls: they go on whatever happens to the request and its gateway. */
@Injectable()
export class UndoSagas {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
    private readonly sealer: CallSealer,
    private readonly launches: SagaLaunches,
  ) {}

  /** Resolves when the saga has started. @returns why it has not */
  async start(identity: SagaIdentity, by: UndoBy, { preview, effects }: PlannedUndo): Promise<Refusal | undefined> {
    const { tenant_id, principal, authority } = by.caller;
    const tenant = tenantOf(this.configuration.state, tenant_id);
    if (!tenant) return new Refusal('forbidden', 'the tenant does not exist', { reason: 'tenant_unknown' });
    if ((await countOpenUndos(this.views.store, tenant_id, OPEN_UNDOS_MAX)) >= OPEN_UNDOS_MAX) return tooMany();
    const chosen = effects.filter((_, at) => preview.items[at]?.undoable);
    const inputs_json = await this.inputs(by, chosen);
    if (inputs_json instanceof Refusal) return inputs_json;
    const undoes = chosen.toReversed().map(undoneEffect);
    const { saga_id, request_digest } = identity;
    const what = { saga_id, is_repeatable: true, request_digest, case_id: caseOf(chosen), inputs_json, deadline_at_ms: null, undoes };
    const nothing = { definition: null, definition_version: null, definition_json: null };
    const definition_digest = sha256Hex(canonicalText(undoDefinition(undoes)));
    const fields = { ...what, ...nothing, definition_digest, by: principal, authority };
    const started = await this.launches.request(tenant, identity, fields, { caller: by.caller, wait_ms: 0 });
    return started instanceof Refusal ? started : undefined;
  }

  /** The reason of the undo becomes the rationale of its calls. */
  private async inputs({ caller, reason }: UndoBy, effects: readonly RecordedEffect[]): Promise<string | Refusal> {
    if (reason === undefined) return '{}';
    const calls = effects.map(({ state }) => state.call as ToolCall);
    const sealed = await this.sealer.textAboutAll(caller.tenant_id, calls, reason);
    return sealed instanceof Refusal ? sealed : canonicalText({ reason: sealed });
  }
}

/** The case of all these calls; null if they have none or several. */
function caseOf(effects: readonly RecordedEffect[]): string | null {
  const [first, ...others] = new Set(effects.map(({ state }) => state.call?.case_id ?? null));
  return others.length > 0 ? null : (first ?? null);
}

function undoneEffect({ state, resources }: RecordedEffect, at: number): SagaUndoneEffect {
  const { call_id, attempt, end } = state;
  const { tool, version, idempotency_key: key } = state.call as ToolCall;
  return {
    ...{ step_id: `call_${at + 1}`, call_id, tool, version, key, attempt: Math.max(1, attempt) },
    resources: undoneResources(resources),
    happened_at_ms: end?.outcome.ended_at_ms ?? 0,
  };
}
