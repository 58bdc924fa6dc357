import type { components } from '@countersign/client';
import type { Tone } from '../elements/status.js';

export type Attempt = components['schemas']['WebhookAttempt'];

/** The outcome of a delivery attempt in words. */
export function attemptText({ status, error, duration_ms }: Pick<Attempt, 'status' | 'error' | 'duration_ms'>): {
  word: string;
  tone: Tone;
  text: string;
} {
  const answered = status === null ? '' : `answer ${status}, `;
  const took = `${duration_ms} ms`;
  if (error === null) return { word: 'Delivered', tone: 'good', text: `${answered}${took}` };
  return { word: 'Not delivered', tone: 'bad', text: `${error.replaceAll('_', ' ')}, ${answered}${took}` };
}
