import type { Block, Join, SagaDefinition, StepBlock } from '../../saga/definition/definition.js';
import type { Seeded } from '../lanes/seeded.js';

/** The behaviour of a step in the model, beyond its block. */
export interface ModelTool {
  is_write: boolean;
  is_irreversible: boolean;
  compensation_tool: string | null;
  resources: string[];
}

/** A random definition with the tools of its steps, by name. */
export class RandomDefinition {
  readonly tools = new Map<string, ModelTool>();
  readonly definition: SagaDefinition;
  private names = 0;

  constructor(private readonly random: Seeded) {
    const root: Block = { kind: 'sequence', blocks: Array.from({ length: 2 + random.below(3) }, () => this.block(2, true)) };
    this.definition = { name: 'model', version: '1.0.0', wait_max_ms: 500, root };
  }

  private block(depth: number, may_be_pivot: boolean): Block {
    const kind = depth === 0 ? 0 : this.random.below(9);
    if (kind === 4) return { kind: 'sequence', blocks: [this.block(depth - 1, may_be_pivot), this.block(depth - 1, may_be_pivot)] };
    if (kind === 5) return this.parallel(depth);
    if (kind === 6) return this.map(depth);
    if (kind === 7) return this.branch(depth, may_be_pivot);
    return kind === 8 ? this.wait() : this.step(may_be_pivot);
  }

  private join(): Join {
    const kind = this.random.below(3);
    if (kind === 0) return { kind: 'all' };
    return kind === 1 ? { kind: 'first_success' } : { kind: 'quorum', count: 2 };
  }

  private parallel(depth: number): Block {
    const join = this.join();
    const branches = Array.from({ length: 2 + this.random.below(2) }, () => this.block(depth - 1, join.kind === 'all'));
    return { kind: 'parallel', join, branches };
  }

  private map(depth: number): Block {
    const join = this.join();
    const body = this.block(depth - 1, join.kind === 'all');
    return { kind: 'map', name: this.name(), over: { from: '/inputs/list' }, concurrency: 1 + this.random.below(2), join, body };
  }

  private branch(depth: number, may_be_pivot: boolean): Block {
    const choices = [{ when: 'a', block: this.block(depth - 1, may_be_pivot) }];
    return { kind: 'branch', name: this.name(), choices, otherwise: this.block(depth - 1, may_be_pivot) };
  }

  private wait(): Block {
    const wait = (['approval', 'event', 'time'] as const)[this.random.below(3)] as 'approval' | 'event' | 'time';
    const on_timeout = this.random.oneIn(3) ? 'fail' : 'continue';
    return { kind: 'wait', name: this.name(), wait, subject: 'it', timeout_ms: 50 + this.random.below(200), on_timeout };
  }

  private step(may_be_pivot: boolean): StepBlock {
    const name = this.name();
    const is_write = !this.random.oneIn(4);
    const is_irreversible = is_write && may_be_pivot && this.random.oneIn(6);
    const has_undo = is_write && !is_irreversible && !this.random.oneIn(10);
    const resources = this.random.oneIn(4) ? [] : [`r${this.random.below(3)}`];
    this.tools.set(name, { is_write, is_irreversible, compensation_tool: has_undo ? 'undo' : null, resources });
    const use = { tool: name, version: '1.0.0', inputs: {} };
    const fallbacks = Array.from({ length: this.random.below(3) }, (_, at) => ({ ...use, tool: `${name}_other${at + 1}` }));
    return { kind: 'step', name, use, fallbacks, ...(this.random.oneIn(5) ? { manual: 'do it' } : {}) };
  }

  private name(): string {
    return `s${++this.names}`;
  }
}
