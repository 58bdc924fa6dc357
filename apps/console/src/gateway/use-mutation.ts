import { useCallback, useRef, useState } from 'preact/hooks';
import { type Answer, answerOf, type Problem, type Sent } from './answer.js';
import { useGateway } from './context.js';
import type { Gateway } from './gateway.js';
import type { Change } from './query-keys.js';

/** A request that changes something. */
export interface Mutation<Input, T> {
  /** Sends it. A second call while it runs returns the outcome of the first. */
  run: (input: Input) => Promise<Answer<T>>;
  is_pending: boolean;
  /** Why the last one was refused; undefined after the next `run`. */
  problem: Problem | undefined;
  reset: () => void;
}

/** Sends a request, then reads again what it changed. */
export function useMutation<Input, T>(
  send: (api: Gateway['api'], input: Input) => Sent<T>,
  changes: (input: Input, data: T) => readonly Change[] = () => [],
): Mutation<Input, T> {
  const { api, invalidator } = useGateway();
  const running = useRef<Promise<Answer<T>> | undefined>(undefined);
  const [is_pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const latest = useRef({ send, changes });
  latest.current = { send, changes };
  const run = useCallback(
    (input: Input) => {
      running.current ??= (async () => {
        setPending(true);
        setProblem(undefined);
        const answer = await answerOf(latest.current.send(api, input));
        if (answer.ok) void invalidator.now(latest.current.changes(input, answer.data));
        else setProblem(answer.problem);
        running.current = undefined;
        setPending(false);
        return answer;
      })();
      return running.current;
    },
    [api, invalidator],
  );
  return { run, is_pending, problem, reset: () => setProblem(undefined) };
}
