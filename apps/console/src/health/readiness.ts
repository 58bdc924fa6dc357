import type { components } from '@countersign/client';
import type { Tone } from '../elements/status.js';
import type { Sent } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';

export type Readiness = components['schemas']['Readiness'];

interface StatusText {
  word: string;
  tone: Tone;
  /** What it means, and what to do. */
  text: string;
}

const TEXTS: Readonly<Record<Readiness['status'], StatusText>> = {
  ready: { word: 'Ready', tone: 'good', text: 'The gateway takes requests.' },
  tampered: {
    word: 'Record differs',
    tone: 'bad',
    text: 'The gateway serves, but the record differs from its signature. See the damages below.',
  },
  catching_up: { word: 'Catching up', tone: 'busy', text: 'The gateway reads the log. It takes requests once it is at the end.' },
  log_full: { word: 'Disk full', tone: 'bad', text: 'The disk of the log is full: nothing is accepted. Make room, then start again.' },
  log_failed: {
    word: 'Log failed',
    tone: 'bad',
    text: 'The log could not be written: nothing is accepted. Read the output of the gateway.',
  },
  log_stalled: { word: 'Log stalled', tone: 'bad', text: 'A write to the log does not end. Look at the disk, or at the brokers.' },
  log_closed: { word: 'Stopping', tone: 'warn', text: 'The gateway stops. Requests go to another one.' },
};

/** The status of the gateway in words; one that this console does not know is shown as it is. */
export const readinessText = (status: string): StatusText =>
  Object.hasOwn(TEXTS, status)
    ? TEXTS[status as Readiness['status']]
    : { word: status.replaceAll('_', ' '), tone: 'warn', text: 'This console does not know this status. Reload the page.' };

const isReadiness = (body: unknown): body is Readiness =>
  typeof body === 'object' && body !== null && typeof (body as Readiness).status === 'string';

/** Reads `/readyz`. Its 503 is an answer too: it says what is not ready. */
export async function readReadiness(api: Gateway['api'], signal: AbortSignal): Sent<Readiness> {
  const { data, error, response } = await api.GET('/readyz', { signal });
  const body = data ?? error;
  if (isReadiness(body)) return { data: body, response: new Response(null, { status: 200 }) };
  return { error, response };
}
