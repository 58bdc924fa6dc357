import pRetry, { type Options } from 'p-retry';

type Plan = Required<Pick<Options, 'retries' | 'minTimeout' | 'maxTimeout' | 'factor' | 'randomize'>>;

const constant = (retries: number, pause_ms: number): Plan => ({
  retries,
  minTimeout: pause_ms,
  maxTimeout: pause_ms,
  factor: 1,
  randomize: false,
});
const growing = (retries: number, first_ms: number, longest_ms: number): Plan => ({
  retries,
  minTimeout: first_ms,
  maxTimeout: longest_ms,
  factor: 2,
  randomize: true,
});

/**
 * How often work is repeated after a fault, and with which pauses. Growing pauses are randomized between one and two times their length,
 * so that instances do not retry together. Not covered: loops whose pause ends with any progress (readers and groups of the log, view
 * writers), durable schedules (callbacks, notices), and libs/client, which has no dependencies.
 */
export const retryPlans = {
  /** A handler whose log, store or cache does not respond. */
  handler: growing(Number.POSITIVE_INFINITY, 50, 5_000),
  /** Records that must reach the log. */
  append: growing(Number.POSITIVE_INFINITY, 20, 1_000),
  /** The keys of the subjects named by a result. */
  result_keys: constant(59, 500),
  /** Kafka, at once on a new connection: kafkajs has already paused and retried. */
  kafka_admin: constant(2, 0),
  kafka_read: growing(4, 100, 400),
  /** A new topic that not every broker knows or leads yet. */
  kafka_subscribe: constant(79, 100),
  /** Another service registers the same schema concurrently. */
  schema_registration: growing(6, 150, 1_000),
} satisfies Record<string, Plan>;

export interface RetryTerms {
  /** Ends the pause and any further attempt. */
  signal?: AbortSignal;
  unref?: boolean;
  isRetryable?(fault: Error): boolean;
  /** Called with each fault, before the pause. */
  onFault?(fault: Error, attempt: number): void;
}

/**
 * Repeats the work after a fault, according to the plan. A TypeError is an error of the code and is not retried.
 * @throws the last fault, or the reason of the signal
 */
export async function retried<T>(plan: Plan, work: (attempt: number) => Promise<T>, terms: RetryTerms = {}): Promise<T> {
  let done: { value: T } | undefined;
  const { signal, unref = false, isRetryable = () => true, onFault } = terms;
  try {
    return await pRetry(
      async (attempt) => {
        done = { value: await work(attempt) };
        return done.value;
      },
      {
        ...plan,
        unref,
        ...(signal ? { signal } : {}),
        onFailedAttempt: ({ error, attemptNumber }) => {
          if (!done) onFault?.(error, attemptNumber);
        },
        // p-retry ignores a signal that arrives before its pause and would complete the pause.
        shouldRetry: ({ error }) => !signal?.aborted && isRetryable(error),
      },
    );
  } catch (fault) {
    // p-retry discards a result that arrives after the abort. Completed work stays completed.
    if (done) return done.value;
    signal?.throwIfAborted();
    throw fault;
  }
}
