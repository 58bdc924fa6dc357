import type { OutboundDoor } from './outbound-door.js';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 1_048_576;

export interface TextRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

export interface TextAnswer {
  status: number;
  text: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Requests a text of at most 1 MB within 5 s from a server that an administrator of a tenant named. Follows no redirect.
 * @throws Error if there is no such response.
 */
export async function exchangeText(door: OutboundDoor, url: string, request: TextRequest = {}): Promise<TextAnswer> {
  const { method = 'GET', headers = {}, body } = request;
  const answer = await door.exchange({
    ...{ method, url, headers, body },
    redirects_max: 0,
    answer: { bytes_max: BYTES_MAX, when_larger: 'fail' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (answer.kind === 'failed') throw new Error(answer.message);
  return { status: answer.status, text: answer.bytes.toString(), headers: answer.headers };
}
