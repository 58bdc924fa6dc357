import type { Subscription } from '../event-log.js';
import { assign } from './assignment.js';
import { Member, type MemberGroup, type MemberSources } from './member.js';

/** The members of one group in this process, and the partition numbers of each. */
export class Group implements MemberGroup {
  readonly #members: Member[] = [];
  #rebalancing: Promise<void> = Promise.resolve();

  constructor(private readonly sources: MemberSources) {}

  /** Adds a member; resolves when the others have handed over its partitions, without waiting for its `onAssigned`. */
  async join(subscription: Subscription): Promise<Member> {
    const member = new Member(subscription, this, this.sources);
    this.#members.push(member);
    await this.#rebalance();
    return member;
  }

  leave(member: Member, halted: Promise<void>): Promise<void> {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
    this.#rebalancing = this.#rebalancing.then(() => halted);
    return this.#rebalance();
  }

  settled(): Promise<void> {
    return this.#rebalancing;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.splice(0).map((member) => member.close()));
  }

  #rebalance(): Promise<void> {
    this.#rebalancing = this.#rebalancing.then(() => this.#share());
    return this.#rebalancing;
  }

  async #share(): Promise<void> {
    const members = [...this.#members];
    const topics = new Set(members.flatMap(({ subscription }) => subscription.topics));
    const count = [...topics].reduce((most, topic) => Math.max(most, this.sources.table.of(topic).length), 0);
    const target = assign(
      count,
      members.map(({ owned }) => owned),
    );
    await Promise.all(
      members.map((member, at) => {
        const lost = [...member.owned].filter((partition) => !target[at]!.has(partition));
        return lost.length === 0 ? undefined : member.release(lost);
      }),
    );
    members.forEach((member, at) => {
      // A member that started to close meanwhile is no longer listed; its own leave redistributes its share.
      if (!this.#members.includes(member)) return;
      const gained = [...target[at]!].filter((partition) => !member.owned.has(partition));
      if (gained.length > 0) member.take(gained);
    });
  }
}
