import { type Caller, Refusal } from '@countersign/calls';
import { type Change, Counterfactual, changesOf } from '@countersign/decisions';
import { tenantOf } from '@countersign/domain';
import type { AppDeps } from '@countersign/process';
import type { CallRow } from '@countersign/store';
import type { PolicyService } from '../policies/policy.service.js';
import { counterfactualPieces } from './counterfactual-pieces.js';
import type { RequestedChange } from './counterfactual-request.schema.js';
import { Gently } from './gently.js';
import { knownPrincipals, NamedRecords, NamedRules, named } from './named-changes.js';
import { RecordingReader, sharedWindow } from './recording-reader.js';
import { AGENT_WINDOW_MS, requestedHistory } from './requested-history.js';

/** The cap applies to the records read, not to the calls selected. */
const TOO_MUCH =
  'the query would read more than 400,000 records or 200 MB (all records of the lane since the first of these calls, including other tenants); ' +
  'select later calls (POST /v1/counterfactual with from), or give the tenant its own lane';

/** Counterfactuals that one gateway runs concurrently. */
const AT_ONCE = 2;
const STEPS_MAX = 5_000_000;
const WORK_MAX_MS = 180_000;
const ANSWER_CHARACTERS_MAX = 64_000_000;

/** The selected calls (at least one), the changes, and further members of the response. */
export interface CounterfactualQuery {
  rows: readonly CallRow[];
  changes: readonly RequestedChange[];
  /** Cases whose calls are all in `rows`. */
  whole_cases: readonly string[];
  more: object;
}

/** Reads the record, applies the changes and decides it again. Writes nothing. */
export class CounterfactualDecider {
  private readonly reader: RecordingReader;
  private running = 0;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock' | 'personal'>,
    private readonly policies: PolicyService,
  ) {
    this.reader = new RecordingReader(deps);
  }

  /** @returns the response as JSON in chunks. */
  async decide(caller: Caller, query: CounterfactualQuery): Promise<string[] | Refusal> {
    if (this.running >= AT_ONCE) return new Refusal('too-many-in-flight', 'other counterfactuals are running: retry later');
    this.running++;
    try {
      return await this.decideNow(caller, query);
    } finally {
      this.running--;
    }
  }

  private async decideNow(
    caller: Caller,
    { rows, changes: requested, whole_cases, more }: CounterfactualQuery,
  ): Promise<string[] | Refusal> {
    const { tenant_id } = caller;
    const { state } = this.policies.configuration;
    const rules = new NamedRules(this.policies, caller);
    const ruleChanges = await named(requested, (change, at) => rules.of(change, at));
    if (ruleChanges instanceof Refusal) return ruleChanges;
    const gently = new Gently(() => this.deps.clock.monotonic_ms());
    const history = await requestedHistory({ rulings: this.policies.rulings, state, tenant_id }, ruleChanges, rows, gently);
    const limits = changesOf(ruleChanges, 'limit').map(({ limit }) => limit);
    const counted_ms = sharedWindow(state, tenant_id, limits);
    const votes_ms = requested.flatMap((change) => (change.kind === 'approval' && change.at !== undefined ? [change.at] : []));
    const recording = await this.reader.read({
      tenant_id,
      lane: tenantOf(state, tenant_id)?.lane ?? 'shared',
      rows,
      until_ms: Math.max(this.deps.clock.now_ms(), ...votes_ms),
      shared_window_ms: history.has('agent') ? Math.max(AGENT_WINDOW_MS, counted_ms ?? 0) : counted_ms,
      whole_cases,
      counts_cases: history.has('case'),
    });
    if (!recording) return new Refusal('too-much', TOO_MUCH);
    const records = new NamedRecords(recording, caller, knownPrincipals({ policies: this.policies, tenant_id }), ruleChanges.length > 0);
    const recordChanges = await named(requested, (change, at) => records.of(change, at));
    if (recordChanges instanceof Refusal) return recordChanges;
    const changes: Change[] = [...ruleChanges, ...recordChanges];
    const about = rows.map(({ call_id }) => call_id);
    return this.worked(new Counterfactual(recording, changes, about), more, gently);
  }

  private async worked(question: Counterfactual, more: object, gently: Gently): Promise<string[] | Refusal> {
    const until_ms = this.deps.clock.monotonic_ms() + WORK_MAX_MS;
    const mayGoOn = (): boolean => question.steps < STEPS_MAX && this.deps.clock.monotonic_ms() < until_ms;
    await gently.all(() => mayGoOn() && question.step());
    if (!mayGoOn()) return new Refusal('too-much', 'the counterfactual takes too long: select fewer calls');
    const answer = question.answer();
    if (answer.calls === 0)
      return new Refusal('erased', 'the records of these calls are no longer on the log', { reason: 'record_dropped' });
    const pieces = await gently.gathered(counterfactualPieces(answer, more), ANSWER_CHARACTERS_MAX);
    return pieces ?? new Refusal('too-much', 'the response is too large: select fewer calls');
  }
}
