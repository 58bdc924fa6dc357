import { randomBytes } from 'node:crypto';
import {
  type CallToolResult,
  createRequestStateCodec,
  InMemoryServerEventBus,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { openQuestions } from '../open-questions.js';
import { declaredBy } from './declared.js';
import { servePrompts } from './prompts.js';
import { serveResources } from './resources.js';
import { asks, roundOf } from './rounds.js';

const TASKS = 'io.modelcontextprotocol/tasks';

/** A `tools/call` that the extension may change; `next` submits it. */
export interface WrappedCall {
  tool: string;
  args: Record<string, unknown>;
  ctx: ServerContext;
  /** @param reported receives progress that the call reports, besides the client. */
  next(args: Record<string, unknown>, reported?: (message: string) => void): Promise<CallToolResult>;
}

interface ShownTask {
  taskId: string;
  status: string;
  [member: string]: unknown;
}

/** Tools that only clients with tasks may call. */
const NEEDS_TASKS = new Set(['failing_job']);
/** Tools that announce a change. */
const ANNOUNCES: ReadonlyMap<string, 'tools_list_changed' | 'prompts_list_changed'> = new Map([
  ['test_trigger_tool_change', 'tools_list_changed'],
  ['test_trigger_prompt_change', 'prompts_list_changed'],
] as const);
/** Tools whose progress messages are log messages. */
const LOGS = new Set(['test_tool_with_logging', 'test_logging_tool']);

function requireTasks({ ctx }: WrappedCall): void {
  if (declaredBy(ctx)?.extensions?.[TASKS] === undefined)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}

/**
 * What the suite needs beside tools: prompts, resources, completions, logs, and questions to the client. It exists only while the pack
 * `conformance` is loaded.
 */
export class SuiteExtension {
  private readonly codec = createRequestStateCodec<Record<string, string>>({ key: randomBytes(32) });

  readonly capabilities: ServerCapabilities = {
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };

  readonly events = new InMemoryServerEventBus();

  /** Refuses a state of a question that a client changed. */
  readonly requestState = { verify: this.codec.verify };

  install(server: Server, era: 'legacy' | 'modern'): void {
    servePrompts(server);
    serveResources(server, era);
  }

  /** A tool that asks nothing, logs nothing and announces nothing. */
  isPlain(tool: string): boolean {
    return !asks(tool) && !NEEDS_TASKS.has(tool) && !LOGS.has(tool) && !ANNOUNCES.has(tool);
  }

  /** The content that a tool of the suite returned, as the content of the result. */
  shown(result: CallToolResult): CallToolResult {
    const content = (result.structuredContent as { content?: CallToolResult['content'] } | undefined)?.content;
    if (!Array.isArray(content)) return result;
    const { structuredContent: _, ...rest } = result;
    return { ...rest, content };
  }

  /** Asks what the tool asks, then submits the call with the answers. What the question was made of is no input of the tool. */
  async call(call: WrappedCall): Promise<CallToolResult | InputRequiredResult> {
    const { tool, args, ctx, next } = call;
    if (NEEDS_TASKS.has(tool)) requireTasks(call);
    const round = roundOf(tool, { args, ctx });
    if (round && 'ask' in round)
      return inputRequired({
        inputRequests: round.ask,
        ...(round.state && { requestState: await this.codec.mint(round.state, ctx) }),
      });
    const log = (message: string) => void ctx.mcpReq.log('info', message, 'conformance');
    const result = await next(round ? { answers: round.answers } : args, LOGS.has(tool) ? log : undefined);
    const announced = ANNOUNCES.get(tool);
    if (announced) this.events.publish({ kind: announced });
    return this.shown(result);
  }

  /** The task of a call, with the questions that its tool asks now; a broken job as a protocol error. */
  task(task: ShownTask, tool: string): ShownTask {
    const inputRequests = openQuestions.of(task.taskId);
    if (task.status === 'working' && inputRequests) return { ...task, status: 'input_required', inputRequests };
    if (task.status !== 'completed' || tool !== 'protocol_error_job') return task;
    return { ...task, result: undefined, status: 'failed', error: { code: -32603, message: 'the job broke as asked' } };
  }

  /** Answers to the questions of a task. */
  answer(task_id: string, responses: Record<string, unknown>): void {
    openQuestions.answer(task_id, Object.keys(responses));
  }
}
