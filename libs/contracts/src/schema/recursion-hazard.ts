import { components } from './components.js';
import type { SchemaGraph } from './schema-graph.js';

const WORK_MAX = 2_000;

/**
 * Why validating a small value with a schema could take forever or exponentially long, or null: a reference that leads to itself without
 * descending into the value, parts that are checked thousands of times at one place, or a recursion that visits the same values by two
 * alternatives (each level then doubles the work).
 */
export function recursionHazard(graph: SchemaGraph): string | null {
  const { nodes, here, below } = graph;
  const size = nodes.length;
  const inPlace = components(size, (node) => here[node] as number[]);
  const loops = new Set<number>();
  for (const [node, next] of here.entries()) for (const target of next) if (inPlace[node] === inPlace[target]) loops.add(node);
  if (loops.size > 0) return 'a reference leads back to itself without descending into the value';
  const whole = components(size, (node) => [
    ...(here[node] as number[]),
    ...(below[node] as { node: number }[]).map((child) => child.node),
  ]);
  return new Work(graph, whole).hazard();
}

/** Counts how often the parts of a schema are checked for one value, at worst. */
class Work {
  private readonly known = new Map<number, number>();

  constructor(
    private readonly graph: SchemaGraph,
    private readonly component: readonly number[],
  ) {}

  hazard(): string | null {
    try {
      for (let node = 0; node < this.graph.nodes.length; node++) this.of(node);
      return null;
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
  }

  private of(node: number): number {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    this.known.set(node, 1);
    const applied = this.applied(node);
    let most = applied.length;
    for (const slot of this.slots(applied)) {
      const again = slot.filter((child) => this.component[child] === this.component[node]);
      if (again.length > 1) throw new RangeError('a recursion visits the same values by two alternatives: each level doubles the work');
      const sum = slot.reduce((total, child) => total + (this.component[child] === this.component[node] ? 1 : this.of(child)), 0);
      most = Math.max(most, sum);
    }
    if (most > WORK_MAX) throw new RangeError(`its parts are checked more than ${WORK_MAX} times for one value`);
    this.known.set(node, most);
    return most;
  }

  /** All nodes checked at the same place as this node, including itself, with repetitions. */
  private applied(node: number): number[] {
    const found = [node];
    for (let at = 0; at < found.length; at++) {
      found.push(...(this.graph.here[found[at] as number] as number[]));
      if (found.length > WORK_MAX) throw new RangeError(`its parts are checked more than ${WORK_MAX} times for one value`);
    }
    return found;
  }

  /** The schemas that apply to each slot below. A named property also gets the wildcards of other nodes. */
  private *slots(applied: readonly number[]): Generator<number[]> {
    const named = new Map<string, { owner: number; node: number }[]>();
    const wild: { owner: number; node: number }[] = [];
    for (const [owner, node] of applied.entries()) {
      for (const { slot, node: child } of this.graph.below[node] as { slot: string; node: number }[]) {
        if (slot === '*') wild.push({ owner, node: child });
        else named.set(slot, [...(named.get(slot) ?? []), { owner, node: child }]);
      }
    }
    if (wild.length > 0) yield wild.map((each) => each.node);
    for (const [slot, own] of named) {
      const owners = new Set(own.map((each) => each.owner));
      const met = slot === '#' ? [] : wild.filter((each) => !owners.has(each.owner));
      yield [...own, ...met].map((each) => each.node);
    }
  }
}
