import { setTimeout } from 'node:timers/promises';
import { testContext } from '../test-context.js';

/** One thing that a tool must keep to; rejects where it does not. */
export interface Check {
  title: string;
  run(): Promise<void>;
}

export function freshKey(): string {
  return testContext().idempotency_key;
}

/** @throws where it takes longer. */
export async function within<T>(limit_ms: number, running: Promise<T>, what: string): Promise<T> {
  const stop = new AbortController();
  const late = setTimeout(limit_ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${what}: did not end within ${limit_ms} ms`);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}
