import { isDeepStrictEqual } from 'node:util';
import type { SagaUndoneEffect } from '@countersign/contracts';
import type { SagaCommand } from '../../saga/running/commands.js';
import { decideSaga } from '../../saga/running/decide.js';
import { undoDefinition } from '../../saga/running/earlier-effects.js';
import { type SagaEffect, sagaEffectsOf, sagaStatusOf } from '../../saga/running/effects.js';
import { evolveSaga, replaySaga } from '../../saga/running/evolve.js';
import type { SagaFact } from '../../saga/running/facts.js';
import type { RunningSaga, SagaState } from '../../saga/running/state.js';
import { Seeded } from '../lanes/seeded.js';
import { Answers } from './answers.js';
import { Arbiter } from './arbiter.js';
import { planted, type SagaFault } from './planted-faults.js';
import { RandomDefinition } from './random-definition.js';
import { brokenAtEnd, brokenBy } from './rules.js';

const DRAIN_MAX = 3_000;

/** One saga, its log, and a process that crashes, repeats, delays and reorders everything that it does. */
export class SimulatedSaga {
  readonly random: Seeded;
  readonly arbiter: Arbiter;
  readonly log: SagaFact[] = [];
  now_ms = 1_000;
  private state: SagaState;
  private mailbox: SagaCommand[] = [];
  private readonly answers: Answers;

  constructor(
    readonly seed: number,
    private readonly fault?: SagaFault,
    undoes: readonly SagaUndoneEffect[] = [],
  ) {
    this.random = new Seeded(seed);
    this.arbiter = new Arbiter(this.random);
    const model = new RandomDefinition(this.random);
    this.answers = new Answers(this.random, this.arbiter, model);
    const deadline_at_ms = this.random.oneIn(2) ? this.now_ms + 200 + this.random.below(800) : null;
    const definition = undoes.length === 0 ? model.definition : { ...undoDefinition(undoes), wait_max_ms: 50 };
    this.decide({ ...this.answers.start(definition, undoes.length === 0 ? deadline_at_ms : null, this.now_ms), undoes });
  }

  get saga(): RunningSaga {
    return this.state as RunningSaga;
  }

  run(steps: number): this {
    for (let step = 0; step < steps; step++) this.step();
    this.drain();
    this.check(brokenAtEnd(this.saga, this.arbiter));
    return this;
  }

  private check(broken: readonly string[]): void {
    if (broken.length > 0) throw new Error(`seed ${this.seed}: ${broken.join('; ')}`);
  }

  private decide(command: SagaCommand): void {
    const decision = decideSaga(command, this.state);
    if (decision.kind === 'refused') return;
    const all = decision.facts.length;
    const written = this.log.length > 0 && this.random.oneIn(12) ? this.random.below(all + 1) : all;
    for (const decided of decision.facts.slice(0, written)) {
      const fact = planted(this.fault, this.state, decided);
      this.check(brokenBy(this.state, fact));
      this.state = evolveSaga(this.state, fact);
      this.log.push(fact);
    }
    if (written < all) {
      this.crash();
      return;
    }
    if (!this.saga.ended && sagaEffectsOf(this.saga).length === 0) this.check(['S13: nothing is left to wait for']);
  }

  private perform(effect: SagaEffect): void {
    const command = this.answers.to(effect, this.saga, this.now_ms);
    if (command) this.mailbox.push(command);
  }

  private deliver(): void {
    const at = this.random.below(this.mailbox.length);
    const command = { ...(this.mailbox[at] as SagaCommand), now_ms: this.now_ms };
    if (!this.random.oneIn(5)) this.mailbox.splice(at, 1);
    this.decide(command);
  }

  /** Crashes the process: its memory is lost, and the log restores it. */
  private crash(): void {
    this.mailbox = [];
    const again = replaySaga(this.log);
    if (!isDeepStrictEqual(again, this.state)) this.check(['S14: the log gives another state']);
    if (!isDeepStrictEqual(sagaEffectsOf(again as RunningSaga), sagaEffectsOf(this.saga))) this.check(['S14: the log gives other effects']);
    this.state = again;
    this.decide({ kind: 'recovered', now_ms: this.now_ms });
  }

  private step(): void {
    const roll = this.random.below(20);
    const effects = sagaEffectsOf(this.saga);
    if (roll <= 8 && effects.length > 0) this.perform(effects[this.random.below(effects.length)] as SagaEffect);
    else if (roll <= 15 && this.mailbox.length > 0) this.deliver();
    else if (roll === 16) this.now_ms += this.random.below(60);
    else if (roll === 17) this.crash();
    else if (roll === 18 && this.random.oneIn(4)) this.decide(this.answers.act(this.saga, this.now_ms));
    else if (roll === 19) this.decide(this.answers.late(this.saga, this.now_ms) ?? { kind: 'timer', now_ms: this.now_ms });
  }

  /** Stops all faults: the saga must end. */
  private drain(): void {
    this.arbiter.is_calm = true;
    for (let round = 0; round < DRAIN_MAX && !this.saga.ended; round++) {
      for (const effect of sagaEffectsOf(this.saga)) this.perform(effect);
      while (this.mailbox.length > 0) {
        const command = { ...(this.mailbox.shift() as SagaCommand), now_ms: this.now_ms };
        this.decide(command);
      }
      this.now_ms += 25;
    }
    if (!this.saga.ended)
      this.check([`S15: it does not end: ${sagaStatusOf(this.saga)} ${JSON.stringify(sagaEffectsOf(this.saga).map(({ kind }) => kind))}`]);
    this.crash();
  }
}
