import type { OperationBinding, OperationOutput } from '@countersign/openapi';
import type { OutboundAnswer } from '@countersign/outbound';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { faultOfStatus } from '../http/http-response.js';
import { nextPage } from './pages.js';

const isJson = (type: string): boolean => /^application\/([^;]+\+)?json\b/i.test(type);
const isText = (type: string): boolean => /^(text\/|application\/([^;]+\+)?(xml|x-ndjson|yaml)\b)/i.test(type);

/** What the operation returned. @throws ToolError for every status but 2xx, and for a body that is not what its type says */
export async function operationOutput(
  answer: OutboundAnswer,
  binding: OperationBinding,
  inputs: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<OperationOutput> {
  const fault = faultOf(answer, binding);
  if (fault) throw fault;
  const { status } = answer;
  const read = await bodyOf(answer, context);
  const next = 'body' in read && binding.pages ? nextPage(binding, read.body, answer.headers.link, inputs) : undefined;
  return { status, ...read, ...(next === undefined ? {} : { next_page: next }) };
}

/** A request with a key that is still being processed is refused with 409: then its effect may come. */
function faultOf(answer: OutboundAnswer, { idempotency_header }: OperationBinding): ToolError | undefined {
  const { status, headers, cut } = answer;
  if (status >= 300 && status < 400)
    return new ToolError(
      'PROVIDER_ERROR',
      `the server redirects (${status}), which is not followed: import the address that it redirects to`,
      {
        retryable: false,
        // A server that has acted may answer so as well.
        ...(status === 307 || status === 308 ? { effect: 'none' as const } : {}),
      },
    );
  if (status === 409 && idempotency_header !== undefined)
    return new ToolError('PROVIDER_ERROR', 'the server responded with status 409: a request with this key may still be running', {
      details: { status },
      retryable: true,
    });
  const fault = faultOfStatus(answer, true);
  if (fault) return fault;
  if (cut) return new ToolError('PROVIDER_ERROR', 'the server answered more bytes than the tool may return', { retryable: false });
  return headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity'
    ? undefined
    : new ToolError('PROVIDER_ERROR', 'the server answered with a compressed body, which was not requested', { retryable: false });
}

async function bodyOf({ headers, bytes }: OutboundAnswer, context: RunContext): Promise<Pick<OperationOutput, 'body' | 'attachment'>> {
  if (bytes.length === 0) return {};
  const type = headers['content-type'] ?? '';
  if (isJson(type)) return { body: jsonOf(bytes) };
  if (isText(type)) return { body: new TextDecoder('utf-8').decode(bytes) };
  const kind = type.startsWith('image/') ? 'image' : 'blob';
  const { url } = await context.attach({ kind, content_type: type || 'application/octet-stream', data: bytes });
  return { attachment: url };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ToolError('PROVIDER_ERROR', 'the body of the response is not JSON', { retryable: false });
  }
}
