import { ToolError } from '@countersign/tool-kit';

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const REQUEST_MS = 15_000;

export interface Exchanged {
  status: number;
  body: string;
  retry_after_s: number | undefined;
}

/**
 * One request to the business system that the operator named. Follows no redirect and reads a bounded answer.
 * @throws ToolError NETWORK_ERROR or TIMEOUT; effect `none` only where nothing was sent
 */
export async function exchange(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Exchanged> {
  if (signal.aborted) throw new ToolError('CANCELLED', 'the call was given up before the request was sent', { effect: 'none' });
  const ends = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
  try {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: ends,
    } as const;
    const response = await fetch(url, init);
    const retry = Number(response.headers.get('retry-after'));
    return { status: response.status, body: await bounded(response), retry_after_s: retry > 0 ? retry : undefined };
  } catch (thrown) {
    if (thrown instanceof ToolError) throw thrown;
    if (ends.aborted) throw new ToolError('TIMEOUT', 'the business system did not answer in time');
    const code = (thrown as { cause?: { code?: string } }).cause?.code;
    const refused = code === 'ECONNREFUSED' || code === 'ENOTFOUND';
    throw new ToolError('NETWORK_ERROR', `the connection to the business system failed (${code ?? 'cut'})`, {
      effect: refused ? 'none' : 'unknown',
    });
  }
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) throw new ToolError('PROVIDER_ERROR', 'the answer of the business system is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
