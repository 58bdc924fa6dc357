import type { Compensates, Pack, Reconciled, Tool, Verified } from '@countersign/tool-kit';
import { asksOf, type Implausible, type Runtime, type RuntimePack, type ToolJob, toolId } from '../runtime.js';
import { implausible } from './sanity.js';

/** Runs the tools of a trusted pack on the main thread of this process. */
export class InProcessRuntime implements Runtime {
  private readonly tools: ReadonlyMap<string, Tool>;

  constructor(private readonly pack: Pack) {
    this.tools = new Map(pack.tools.map((tool) => [toolId(tool.contract), tool]));
  }

  async load(): Promise<RuntimePack> {
    return { ...this.pack, tools: this.pack.tools.map((tool) => ({ contract: tool.contract, asks: asksOf(tool) })) };
  }

  run({ tool, input, context }: ToolJob): Promise<unknown> {
    return this.of(tool).run(input as never, context);
  }

  compensate({ tool, context }: ToolJob, compensates: Compensates): Promise<unknown> {
    return this.of(tool).compensate?.(compensates as Compensates<never, never>, context) as Promise<unknown>;
  }

  reconcile({ tool, input, context }: ToolJob): Promise<Reconciled<unknown>> {
    return this.of(tool).reconcile?.(input as never, context) as Promise<Reconciled<unknown>>;
  }

  verify({ tool, input, context }: ToolJob, output: unknown): Promise<Verified> {
    return this.of(tool).verify?.(input as never, output as never, context) as Promise<Verified>;
  }

  sourceVersion({ tool, input, context }: ToolJob): Promise<string> {
    return this.of(tool).sourceVersion?.(input as never, context) as Promise<string>;
  }

  changedNothing({ tool }: ToolJob, output: unknown): boolean {
    return this.of(tool).changedNothing?.(output as never) === true;
  }

  sanity({ tool, input }: ToolJob, output: unknown): Implausible[] {
    return implausible(this.of(tool).sanity ?? [], input, output);
  }

  async close(): Promise<void> {}

  private of(id: string): Tool {
    const tool = this.tools.get(id);
    if (!tool) throw new Error(`the pack ${this.pack.name} has no tool ${id}`);
    return tool;
  }
}
