import { register } from 'node:module';
import type { Compensates, Pack, Tool } from '@countersign/tool-kit';
import { PatternPool } from '@countersign/tool-kit/pattern-search/pattern-pool';
import { implausible } from '../in-process/sanity.js';
import { machineMs } from '../machine-clock.js';
import { asksOf, toolId } from '../runtime.js';
import { messageOf } from '../thrown-error.js';
import { ChildContext, type ExecutorLine } from './child-context.js';
import { exportedPack } from './exported-pack.js';
import { needsHooks } from './module-needs.js';
import type { AskMessage, ContextQuestion, FromChild, ReportedError, ToChild } from './protocol.js';
import { reportedError, thrownHere } from './reported-error.js';
import type { ReportedPack } from './reported-pack.js';
import { sendable } from './unsent-answer.js';

/** A pending request to the executor. */
interface Waiting {
  resolve(value: unknown): void;
  reject(thrown: Error): void;
}

const NOT_BEGUN: ReportedError = {
  error: {
    code: 'NETWORK_ERROR',
    class: 'transient',
    message: 'the lease of the executor expired before the tool began',
    details_json: null,
    retryable: true,
    retry_after_s: null,
  },
  refused: true,
  effect: 'none',
};

/** The child's side: loads one pack and passes the executor's requests to its tools. */
export class ChildHost implements ExecutorLine {
  private readonly tools = new Map<string, Tool>();
  private readonly running = new Map<number, ChildContext>();
  private readonly waiting = new Map<number, Waiting>();
  private readonly patterns = new PatternPool();
  private questions = 0;

  constructor(private readonly send: (json: string) => void) {}

  take(message: ToChild): void {
    switch (message.kind) {
      case 'load':
        void this.load(message.module);
        return;
      case 'ask':
        void this.ask(message);
        return;
      case 'abort':
        this.running.get(message.id)?.abort(message.reason);
        this.tell({ kind: 'abort_seen', id: message.id });
        return;
      case 'context_answer': {
        const waiting = this.waiting.get(message.question);
        this.waiting.delete(message.question);
        if (message.thrown) waiting?.reject(thrownHere(message.thrown));
        else waiting?.resolve(message.value);
      }
    }
  }

  question(id: number, wanted: ContextQuestion): Promise<unknown> {
    const question = ++this.questions;
    return new Promise((resolve, reject) => {
      this.waiting.set(question, { resolve, reject });
      this.tell({ kind: 'context', id, question, asked: wanted });
    });
  }

  log(id: number, message: string, fields: Record<string, unknown>): void {
    this.tell({ kind: 'log', id, message, fields });
  }

  progress(id: number, fraction: number, message: string): void {
    this.tell({ kind: 'progress', id, fraction, message });
  }

  private tell(message: FromChild): void {
    this.send(JSON.stringify(message));
  }

  private async load(module: string): Promise<void> {
    try {
      if (needsHooks(module)) register(new URL('./module-hooks.js', import.meta.url));
      const pack = exportedPack(await import(module));
      for (const tool of pack.tools) this.tools.set(toolId(tool.contract), tool);
      this.tell({ kind: 'loaded', pack: reportedPack(pack) });
    } catch (cause) {
      this.tell({ kind: 'not_loaded', message: messageOf(cause) });
    }
  }

  private async ask(message: AskMessage): Promise<void> {
    const { id, tool: name, begin_before_ms } = message;
    const tool = this.tools.get(name);
    // The last check before anything can have an effect.
    if (begin_before_ms !== undefined && machineMs() >= begin_before_ms) return this.tell({ kind: 'answer', id, thrown: NOT_BEGUN });
    const context = new ChildContext(id, message.context, this.patterns, this);
    this.running.set(id, context);
    try {
      if (!tool) throw new Error(`the pack has no tool ${name}`);
      const answer = await answerOf(tool, message, context);
      const sent = sendable(answer, tool.contract.max_output_bytes);
      if ('json' in sent) this.send(`{"kind":"answer","id":${id},"value":${sent.json}}`);
      else this.tell({ kind: 'answer', id, unsent: sent.unsent });
    } catch (thrown) {
      this.tell({ kind: 'answer', id, thrown: reportedError(thrown) });
    } finally {
      this.running.delete(id);
    }
  }
}

/** Returns the tool's result. @throws what the tool throws */
async function answerOf(tool: Tool, { ask, input, about }: AskMessage, context: ChildContext): Promise<unknown> {
  const given = input as never;
  switch (ask) {
    case 'run':
      return tool.run(given, context);
    case 'compensate':
      return tool.compensate?.(about as Compensates<never, never>, context);
    case 'reconcile':
      return tool.reconcile?.(given, context);
    case 'verify':
      return tool.verify?.(given, about as never, context);
    case 'sourceVersion':
      return tool.sourceVersion?.(given, context);
    case 'changedNothing':
      return tool.changedNothing?.(about as never) === true;
    case 'sanity':
      return implausible(tool.sanity ?? [], input, about);
  }
}

function reportedPack({ name, version, evaluations, settings = {}, folders = [], tools }: Pack): ReportedPack {
  return {
    name,
    version: version ?? null,
    evaluations: evaluations?.href ?? null,
    settings: Object.fromEntries(Object.entries(settings).map(([variable, value]) => [variable, value ?? null])),
    folders: folders.map(({ variable, sharing }) => ({ variable, sharing })),
    tools: tools.map((tool) => ({ contract: { ...tool.contract }, asks: [...asksOf(tool)] })),
  };
}
