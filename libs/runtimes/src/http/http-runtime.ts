import type { ToolContract } from '@countersign/contracts';
import type { OutboundAnswer, OutboundDoor } from '@countersign/outbound';
import { type Compensates, type Reconciled, ToolError, type Verified } from '@countersign/tool-kit';
import { declaredAsks, type Runtime, type RuntimePack, type ToolJob, toolId } from '../runtime.js';
import { answerIn, type EndpointRequest, requestBody, signedHeaders } from './endpoint-message.js';
import { exchange } from './exchange.js';
import { faultOfStatus } from './http-response.js';

/** The object around a result. */
const AROUND_RESULT_BYTES = 64 * 1024;

export interface HttpRuntimeOptions {
  readonly door: OutboundDoor;
  readonly now_ms: () => number;
  /** The secret that signs the requests. @throws ToolError if it cannot be read */
  readonly secret: () => string;
}

/**
 * Runs one version of a tool at an HTTPS endpoint: one signed POST for each run or question. Redirects are not followed, because a
 * contract names one address. An answer that is larger than the output may be is not read to its end.
 */
export class HttpRuntime implements Runtime {
  constructor(
    private readonly contract: ToolContract,
    private readonly options: HttpRuntimeOptions,
  ) {}

  async load(): Promise<RuntimePack> {
    const { contract } = this;
    return { name: toolId(contract), tools: [{ contract, asks: declaredAsks(contract) }] };
  }

  run({ tool, input, context }: ToolJob): Promise<unknown> {
    return this.ask({ type: 'run', tool, input, context });
  }

  compensate({ tool, context }: ToolJob, compensates: Compensates): Promise<unknown> {
    return this.ask({ type: 'compensate', tool, input: compensates.inputs, about: compensates, context });
  }

  reconcile({ tool, input, context }: ToolJob): Promise<Reconciled<unknown>> {
    return this.ask({ type: 'reconcile', tool, input, context }) as Promise<Reconciled<unknown>>;
  }

  verify({ tool, input, context }: ToolJob, output: unknown): Promise<Verified> {
    return this.ask({ type: 'verify', tool, input, about: output, context }) as Promise<Verified>;
  }

  async close(): Promise<void> {}

  private async ask(request: EndpointRequest): Promise<unknown> {
    const { door, now_ms, secret } = this.options;
    const body = requestBody(request);
    const headers = signedHeaders(secret(), request, body, now_ms());
    const bytes_max = this.contract.max_output_bytes + AROUND_RESULT_BYTES;
    const { endpoint: url = '' } = this.contract;
    const answer = await exchange({ method: 'POST', url, headers, body, redirects_max: 0, bytes_max }, door, request.context.signal);
    return this.resultOf(answer);
  }

  /** @throws ToolError */
  private resultOf(answer: OutboundAnswer): unknown {
    if (answer.cut)
      throw new ToolError('PROVIDER_ERROR', `the endpoint answered more than ${this.contract.max_output_bytes} bytes`, {
        retryable: false,
      });
    const { status, bytes } = answer;
    if (status >= 300 && status < 400)
      throw new ToolError('PROVIDER_ERROR', `the endpoint redirects (${status}), which is not followed: register its address`, {
        retryable: false,
        // A server that has acted may answer so as well.
        ...(status === 307 || status === 308 ? { effect: 'none' as const } : {}),
      });
    const stated = answerIn(bytes);
    if (stated && 'error' in stated) throw stated.error;
    const fault = faultOfStatus(answer, true);
    if (fault) throw fault;
    if (!stated) throw new ToolError('PROVIDER_ERROR', 'the endpoint answered neither a result nor an error', { retryable: false });
    return stated.result;
  }
}
