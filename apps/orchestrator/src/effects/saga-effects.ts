import { setTimeout as sleep } from 'node:timers/promises';
import { sagaKey } from '@countersign/contracts';
import { type SagaEffect, sagaEffectsOf } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { SagaPartition, SagaPerformer } from '../partitions/saga-partition.js';
import { keyOfSaga, type OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder, SagaWork } from '../sagas/saga-work.js';
import type { SagaTimers } from '../timing/saga-timers.js';
import { EffectStop } from './effect-stop.js';
import type { SagaActions } from './saga-actions.js';

const BACKOFF_MS = [50, 100, 250, 500, 1_000, 2_000, 5_000];

/** Effects that need nothing of this process: people and systems answer them by requests. */
const PASSIVE: ReadonlySet<SagaEffect['kind']> = new Set(['await', 'ticket', 'timer']);

function nameOf(effect: SagaEffect): string {
  switch (effect.kind) {
    case 'choose_branch':
    case 'read_list':
      return `${effect.kind} ${effect.block_id}`;
    case 'prepare':
      return `prepare ${effect.step_id} ${effect.level}`;
    case 'call':
    case 'prepare_undo':
      return `${effect.kind} ${effect.run.call_id}`;
    case 'call_undo':
      return `call_undo ${effect.run.undo?.call_id}`;
    case 'cancel_call':
      return `cancel_call ${effect.call_id}`;
    case 'follow':
      return `follow ${effect.call_id}`;
    default:
      return effect.kind;
  }
}

interface WantedEffect {
  partition: SagaPartition;
  saga: OpenSaga;
  effect: SagaEffect;
}

/** Effects that only evaluate texts and read recorded outputs. */
const EVALUATED: ReadonlySet<SagaEffect['kind']> = new Set(['choose_branch', 'read_list', 'prepare']);
/** Longer evaluations do not hold up the round of the other sagas. */
const EVALUATION_MAX_MS = 10;

/** What runs for one saga, by name: each effect once, until its answer is decided or the saga no longer needs it. */
type RunningEffects = Map<string, EffectStop>;

/** Runs the effects of sagas. Effects follow from the state alone, so that another process repeats them after a crash. */
export class SagaEffects implements SagaPerformer {
  private readonly sagas = new Map<string, RunningEffects>();

  constructor(
    private readonly actions: SagaActions,
    private readonly timers: SagaTimers,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  perform(partition: SagaPartition, saga: OpenSaga): void {
    const effects = sagaEffectsOf(saga.state);
    this.timers.set(partition, saga, effects.find((effect) => effect.kind === 'timer')?.at_ms);
    const wanted = new Map(effects.filter(({ kind }) => !PASSIVE.has(kind)).map((effect) => [nameOf(effect), effect]));
    const own = this.ownOf(saga);
    for (const [name, stop] of own)
      if (!wanted.has(name)) {
        stop.now();
        own.delete(name);
      }
    for (const [name, effect] of wanted)
      if (!own.has(name)) void this.begin(own, { partition, saga, effect }).then((work) => work && partition.submit(work));
  }

  async evaluated(partition: SagaPartition, sagas: Iterable<OpenSaga>): Promise<SagaWork[]> {
    const begun = [...sagas].flatMap((saga) => this.evaluations(partition, saga));
    if (begun.length === 0) return [];
    const finished = new Map<number, SagaWork | undefined>();
    const all = begun.map((evaluation, at) => evaluation.then((work) => finished.set(at, work)));
    await Promise.race([Promise.all(all), sleep(EVALUATION_MAX_MS, undefined, { ref: false })]);
    begun.forEach((evaluation, at) => {
      if (!finished.has(at)) void evaluation.then((work) => work && partition.submit(work));
    });
    return [...finished.values()].flatMap((work) => work ?? []);
  }

  private evaluations(partition: SagaPartition, saga: OpenSaga): Promise<SagaWork | undefined>[] {
    if (saga.state.ended) return [];
    const own = this.ownOf(saga);
    return sagaEffectsOf(saga.state)
      .filter((effect) => EVALUATED.has(effect.kind) && !own.has(nameOf(effect)))
      .map((effect) => this.begin(own, { partition, saga, effect }));
  }

  private ownOf(saga: OpenSaga): RunningEffects {
    const key = keyOfSaga(saga);
    const own: RunningEffects = this.sagas.get(key) ?? new Map();
    this.sagas.set(key, own);
    return own;
  }

  answered({ tenant_id, saga_id, effect }: SagaWork): void {
    if (effect !== undefined) this.sagas.get(sagaKey(tenant_id, saga_id))?.delete(effect);
  }

  forget(saga: OpenSaga): void {
    this.timers.remove(saga);
    this.stop(keyOfSaga(saga));
  }

  private stop(key: string): void {
    for (const stop of this.sagas.get(key)?.values() ?? []) stop.now();
    this.sagas.delete(key);
  }

  /** Starts an effect. @returns its answer as a command; undefined if there is none, or if it is no longer needed */
  private async begin(own: RunningEffects, what: WantedEffect): Promise<SagaWork | undefined> {
    const [stop, name] = [new EffectStop(), nameOf(what.effect)];
    own.set(name, stop);
    const order = await this.run(what, stop);
    if (order === undefined || stop.is_stopped) return undefined;
    const { tenant_id, saga_id } = what.saga;
    return { tenant_id, saga_id, order, cause: null, effect: name };
  }

  /** The answer to an effect; undefined if there is none, or if it is no longer needed. Repeats until it succeeds. */
  private async run({ partition, saga, effect }: WantedEffect, stop: EffectStop): Promise<SagaOrder | undefined> {
    const { tenant_id, saga_id } = saga;
    const tell = (order: SagaOrder) => void partition.submit({ tenant_id, saga_id, order, cause: null });
    for (let attempt = 0; !stop.is_stopped; attempt++) {
      try {
        return await this.actions.answer(saga, effect, stop, tell);
      } catch (cause) {
        this.logger.warn(
          { event: 'saga_effect_failed', tenant_id, saga_id, effect: effect.kind, attempt, cause: String(cause) },
          'cannot perform what a saga needs now; retrying',
        );
        const pause_ms = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)] as number;
        await sleep(pause_ms, undefined, { ref: false, signal: stop.signal }).catch(() => undefined);
      }
    }
    return undefined;
  }
}
