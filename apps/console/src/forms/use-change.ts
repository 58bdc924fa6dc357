import { useState } from 'preact/hooks';
import type { Sent } from '../gateway/answer.js';
import { useGateway } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import { type Mutation, useMutation } from '../gateway/use-mutation.js';

/**
 * A change of the configuration. It runs until the lists are read again, so that what is shown after it has the new ETag and can be
 * changed once more.
 */
export function useChange<Input, T>(send: (api: Gateway['api'], input: Input) => Sent<T>): Mutation<Input, T> {
  const { invalidator } = useGateway();
  const [is_reading, setReading] = useState(false);
  const sent = useMutation(send);
  const run = async (input: Input) => {
    setReading(true);
    const answer = await sent.run(input);
    if (answer.ok || answer.problem.status === 412) await invalidator.now([{ kind: 'configuration' }]);
    setReading(false);
    return answer;
  };
  return { ...sent, run, is_pending: sent.is_pending || is_reading };
}
