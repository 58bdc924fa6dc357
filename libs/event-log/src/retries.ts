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
 * How often work is repeated after a fault, and with which pauses. Pauses that grow are drawn between one and two times
 * their length, so that instances do not come back together.
 *
 * Not here: loops whose pause ends with any progress (readers and groups of the log, views that are written), durable
 * schedules (callbacks, notices), and libs/client, which has no dependencies.
 */
export const retryPlans = {
  /** A handler whose log, store or cache does not answer. */
  handler: growing(Number.POSITIVE_INFINITY, 50, 5_000),
  /** Records that must reach the log. */
  append: growing(Number.POSITIVE_INFINITY, 20, 1_000),
  /** The keys of the subjects that a result names. */
  result_keys: constant(59, 500),
  /** Kafka, at once on a fresh connection: kafkajs has paused and repeated before. */
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
 * Does the work again after a fault, as the plan says. A TypeError is a fault of the code and is not retried.
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
        // p-retry does not see a signal that came before its pause: it would wait the pause out.
        shouldRetry: ({ error }) => !signal?.aborted && isRetryable(error),
      },
    );
  } catch (fault) {
    // p-retry refuses a result that arrives after the abort. What was done stays done.
    if (done) return done.value;
    signal?.throwIfAborted();
    throw fault;
  }
}
