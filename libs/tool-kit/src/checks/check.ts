import { setTimeout } from 'node:timers/promises';
import { testContext } from '../test-context.js';

/** One requirement of a tool; rejects if the tool violates it. */
export interface Check {
  title: string;
  run(): Promise<void>;
}

export function freshKey(): string {
  return testContext().idempotency_key;
}

/** @throws if it takes longer. */
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
