import { type Assigner, AssignerProtocol, type Cluster, type GroupMember, type GroupMemberAssignment } from 'kafkajs';

export interface AssignerMember {
  id: string;
  topics: readonly string[];
  /** Partition numbers held before this rebalance. */
  owned: readonly number[];
}

const NAME = 'countersign-together';
const VERSION = 1;

/**
 * Partition n of all topics belongs to one member; loads differ by at most one number; a member keeps its numbers if that is fair. Topics
 * that only some members subscribe to are shared among those, with the same numbers together. Returns the partitions of each topic for
 * each member. A pure function of its arguments, whatever their order.
 */
export function assignTogether(
  members: readonly AssignerMember[],
  partitions: ReadonlyMap<string, number>,
): Map<string, Record<string, number[]>> {
  const assigned = new Map(members.map(({ id }) => [id, {} as Record<string, number[]>]));
  for (const [subscribers, topics] of topicsBySubscribers(members, partitions)) {
    const numbers = Math.max(...topics.map((topic) => partitions.get(topic) ?? 0));
    const owners = shareNumbers(subscribers, numbers);
    for (const topic of topics) {
      for (let number = 0; number < (partitions.get(topic) ?? 0); number++) {
        const share = assigned.get(owners[number] ?? '');
        if (!share) continue;
        share[topic] ??= [];
        share[topic].push(number);
      }
    }
  }
  return assigned;
}

function topicsBySubscribers(members: readonly AssignerMember[], partitions: ReadonlyMap<string, number>): Map<AssignerMember[], string[]> {
  const groups = new Map<string, { subscribers: AssignerMember[]; topics: string[] }>();
  const sorted = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const topic of [...partitions.keys()].sort()) {
    const subscribers = sorted.filter((member) => member.topics.includes(topic));
    const key = subscribers.map(({ id }) => id).join(' ');
    const group = groups.get(key) ?? { subscribers, topics: [] };
    if (subscribers.length > 0) groups.set(key, group);
    group.topics.push(topic);
  }
  return new Map([...groups.values()].map(({ subscribers, topics }) => [subscribers, topics]));
}

/** The owner of each number. Members with the most numbers get the larger shares, so that the fewest numbers move. */
function shareNumbers(members: readonly AssignerMember[], numbers: number): (string | undefined)[] {
  const owners = new Array<string | undefined>(numbers).fill(undefined);
  const claims = new Map(members.map(({ id }) => [id, [] as number[]]));
  for (const member of members)
    for (const number of new Set(member.owned)) {
      if (number >= numbers || owners[number] !== undefined) continue;
      owners[number] = member.id;
      claims.get(member.id)?.push(number);
    }
  owners.fill(undefined);
  const byClaims = [...members].sort((a, b) => (claims.get(b.id)?.length ?? 0) - (claims.get(a.id)?.length ?? 0) || (a.id < b.id ? -1 : 1));
  const quotas = new Map(
    byClaims.map(({ id }, rank) => [id, Math.floor(numbers / members.length) + (rank < numbers % members.length ? 1 : 0)]),
  );
  const held = new Map(members.map(({ id }) => [id, 0]));
  const give = (number: number, id: string) => {
    owners[number] = id;
    held.set(id, (held.get(id) ?? 0) + 1);
  };
  for (const [id, claimed] of claims) for (const number of claimed.sort((a, b) => a - b).slice(0, quotas.get(id))) give(number, id);
  for (let number = 0; number < numbers; number++) {
    if (owners[number] !== undefined) continue;
    const next = byClaims.find(({ id }) => (held.get(id) ?? 0) < (quotas.get(id) ?? 0));
    if (next) give(number, next.id);
  }
  return owners;
}

/** `assignTogether` as a kafkajs assigner. One instance for each member: `owned` is sent with its join. */
export class TogetherAssigner implements Assigner {
  readonly name = NAME;
  readonly version = VERSION;

  constructor(
    private readonly cluster: Cluster,
    private readonly owned: () => readonly number[],
  ) {}

  async assign(group: { members: GroupMember[]; topics: string[] }): Promise<GroupMemberAssignment[]> {
    const members = group.members.map(({ memberId, memberMetadata }) => readMember(memberId, memberMetadata));
    const topics = [...new Set(members.flatMap((member) => member.topics))];
    await this.cluster.addMultipleTargetTopics(topics);
    const partitions = new Map(topics.map((topic) => [topic, this.cluster.findTopicPartitionMetadata(topic).length]));
    return [...assignTogether(members, partitions)].map(([memberId, assignment]) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
    }));
  }

  protocol({ topics }: { topics: string[] }): { name: string; metadata: Buffer } {
    const userData = Buffer.from(JSON.stringify(this.owned()));
    return { name: NAME, metadata: AssignerProtocol.MemberMetadata.encode({ version: VERSION, topics, userData }) };
  }
}

function readMember(id: string, metadata: Buffer): AssignerMember {
  const decoded = AssignerProtocol.MemberMetadata.decode(metadata);
  return { id, topics: decoded?.topics ?? [], owned: ownedNumbers(decoded?.userData) };
}

function ownedNumbers(userData: Buffer | undefined): number[] {
  try {
    const owned: unknown = JSON.parse(userData?.toString() || '[]');
    return Array.isArray(owned) ? owned.filter((number): number is number => Number.isInteger(number) && number >= 0) : [];
  } catch {
    return []; // the bytes of another client: it then holds nothing
  }
}
