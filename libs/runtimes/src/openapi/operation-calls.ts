import type { OperationBinding, OperationOutput } from '@countersign/openapi';
import type { OutboundDoor } from '@countersign/outbound';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { exchange } from '../http/exchange.js';
import { operationRequest } from './operation-request.js';
import { operationOutput } from './operation-response.js';
import { itemsOf } from './pages.js';

type Inputs = Readonly<Record<string, unknown>>;

/** Requests operations of the server of one tool. Redirects are not followed: a contract names one address. */
export class OperationCalls {
  constructor(
    private readonly door: OutboundDoor,
    private readonly bytes_max: number,
  ) {}

  /** @param key Sent in the header for keys, if the operation has one @throws ToolError */
  async call(binding: OperationBinding, inputs: Inputs, context: RunContext, key?: string): Promise<OperationOutput> {
    const names = [...new Set(binding.credentials.map(({ secret }) => secret))];
    const secrets = new Map(await Promise.all(names.map(async (name) => [name, await context.secrets.get(name)] as const)));
    const request = operationRequest(binding, inputs, { key, secrets });
    const sent = { ...request, redirects_max: 0, bytes_max: this.bytes_max };
    const answer = await exchange(sent, this.door, context.signal);
    return operationOutput(answer, binding, inputs, context);
  }

  /** All pages of a read that may be followed, as one. What follows then is in `next_page`. */
  async pages(binding: OperationBinding, inputs: Inputs, context: RunContext): Promise<OperationOutput> {
    let output = await this.call(binding, inputs, context);
    const { pages } = binding;
    for (let count = 1; pages && output.next_page && count < pages.follow_max; count++) {
      const { input, value } = output.next_page;
      const next = await this.call(binding, { ...inputs, [input]: value }, context);
      output = joined(output, next, binding, this.bytes_max);
    }
    return output;
  }
}

function joined(before: OperationOutput, next: OperationOutput, { pages }: OperationBinding, bytes_max: number): OperationOutput {
  const first = pages && itemsOf(pages, before.body);
  const more = pages && itemsOf(pages, next.body);
  if (!pages || !first || !more)
    throw new ToolError('PROVIDER_ERROR', 'a page has no list where the document says', { effect: 'none', retryable: false });
  const { next_page: _earlier, ...head } = before;
  const items = [...first, ...more];
  const body = withItems(before.body, pages.items ?? '', items);
  if (JSON.stringify(body).length > bytes_max)
    throw new ToolError('PROVIDER_ERROR', 'the pages are larger than the tool may return: follow fewer of them', {
      effect: 'none',
      retryable: false,
    });
  return { ...head, body, ...(next.next_page === undefined ? {} : { next_page: next.next_page }) };
}

/** Pagination is recognised at the body itself, or at one of its members. */
function withItems(body: unknown, pointer: string, items: unknown[]): unknown {
  return pointer === '' ? items : { ...(body as object), [pointer.slice(1)]: items };
}
