import { isFinished } from '../../execution/life/states.js';
import type { Recovery } from '../../execution/result.js';
import { Member } from './member.js';
import { Seeded } from './seeded.js';
import { type Fault, World } from './world.js';

const KEYS = 3;

/**
 * Simulates the executors of one partition. A seed drives rulings and their repeats, cancels, crashes, lost leases, takeovers, moved
 * partitions and answers in any order. The state machine of a call and its pure functions make every decision. A model, not the app: rows
 * and log are exact, and each statement and append is atomic. Throws if an invariant is violated.
 */
export class SimulatedLane {
  readonly world: World;
  private readonly random: Seeded;
  private members: Member[];
  calls = 0;

  constructor(seed: number, recovery: Recovery, fault?: Fault) {
    this.random = new Seeded(seed);
    this.world = new World(this.random, recovery, fault);
    this.members = [new Member(this.world), new Member(this.world)];
    this.assign(this.members[0] as Member);
  }

  run(steps: number): this {
    for (let step = 0; step < steps; step++) this.step();
    this.heal();
    this.judge();
    return this;
  }

  private get owner(): Member {
    return this.members.find((member) => member.assigned) as Member;
  }

  private step(): void {
    const member = this.members[this.random.below(this.members.length)] as Member;
    const dice = this.random.below(100);
    if (dice < 14) this.request();
    else if (dice < 20 && this.world.rulings.length > 0) this.owner.deliver(this.random.below(this.world.rulings.length));
    else if (dice < 24 && this.calls > 0) this.owner.cancelCall(`call-${this.random.below(this.calls)}`);
    else if (dice < 70) member.advance();
    else if (dice < 82) member.tick();
    else if (dice < 85) member.readTail();
    else if (dice < 87) this.world.in_flight.shift()?.();
    else if (dice < 89) this.crash(member);
    else if (dice < 91) this.world.fenced.add(member.epoch);
    else if (dice < 94) {
      member.check();
      member.acquire();
    } else if (dice < 96) this.assign(member);
    else this.owner.takeOver();
  }

  private request(): void {
    const call_id = `call-${this.calls++}`;
    const write = !this.random.oneIn(4);
    this.world.rulings.push({ call_id, revision: 1, key: write ? `key-${this.random.below(KEYS)}` : call_id, write });
    this.owner.deliver(this.world.rulings.length - 1);
  }

  /** Assigns the partition to this member: it reads the log to its head, then every unacknowledged ruling. */
  private assign(member: Member): void {
    if (member.assigned) return;
    this.owner?.revoke();
    member.assigned = true;
    member.delivered.clear();
    member.readTail();
    this.deliverRest();
  }

  private deliverRest(): void {
    const { owner } = this;
    for (let source = 0; source < this.world.rulings.length; source++) if (!owner.delivered.has(source)) owner.deliver(source);
  }

  /** Crashes the member. Its sent requests may still arrive. */
  private crash(member: Member): void {
    this.world.fenced.add(member.epoch);
    const next = new Member(this.world);
    this.members = this.members.map((each) => (each === member ? next : each));
    if (member.assigned) this.assign(next);
  }

  /** Stops all faults: every call must end, without any ruling being read twice. */
  private heal(): void {
    for (const happen of this.world.in_flight.splice(0)) happen();
    for (let round = 0; round < 30; round++) {
      this.deliverRest();
      for (const member of this.members) {
        member.check();
        member.acquire();
        member.readTail();
        if (member.assigned) member.takeOver();
        member.tick();
        for (let at = 0; at < 2000 && member.tasks.length > 0; at++) member.advance();
      }
    }
  }

  private judge(): void {
    const { world } = this;
    for (const [key, count] of world.effects) if (count > 1) throw new Error(`I1: ${count} effects of ${key}`);
    for (let at = 0; at < this.calls; at++) if (!world.endOf(`call-${at}`)) throw new Error(`I2: call-${at} has no end`);
    for (const member of this.members) {
      const left = [...member.open.values()].filter((job) => !isFinished(job.stage));
      if (left.length > 0) throw new Error(`I14: ${left.map((job) => `${job.ruling.call_id} is ${job.stage} ${job.leader ?? ''}`).join()}`);
      if (member.slots !== 0) throw new Error(`I14: ${member.slots} slots are held without an owner`);
    }
  }
}
