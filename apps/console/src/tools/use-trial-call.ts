import type { CallEnvelope } from '@countersign/client/wire';
import { useRef, useState } from 'preact/hooks';
import type { Answer, Problem } from '../gateway/answer.js';
import { useMutation } from '../gateway/use-mutation.js';

/** A call that somebody tries. */
export interface Trial {
  tool: string;
  version: string;
  inputs: Record<string, never>;
  case_id: string | null;
}

const WAIT_S = 10;

interface TrialCall {
  run: (trial: Trial) => Promise<Answer<CallEnvelope>>;
  envelope: CallEnvelope | undefined;
  problem: Problem | undefined;
  is_pending: boolean;
  /** Before another trial. */
  forget: () => void;
}

/** Makes the call. Sent again after a lost connection it is the same request, not a second call. */
export function useTrialCall(): TrialCall {
  const request_id = useRef<string | undefined>(undefined);
  const [envelope, setEnvelope] = useState<CallEnvelope>();
  const call = useMutation(
    (api, { tool, version, inputs, case_id }: Trial) =>
      api.POST('/v1/calls', {
        params: { header: { Prefer: `wait=${WAIT_S}` } },
        body: {
          ...{ tool, version, inputs },
          ...(case_id === null ? {} : { case_id }),
          context: { request_id: request_id.current ?? '', rationale: 'tried in the console' },
        },
      }),
    () => [{ kind: 'call' }, { kind: 'approval' }, { kind: 'case' }],
  );
  return {
    envelope,
    problem: call.problem,
    is_pending: call.is_pending,
    run: async (trial) => {
      request_id.current ??= randomId();
      const answer = await call.run(trial);
      if (answer.ok) {
        request_id.current = undefined;
        setEnvelope(answer.data);
      }
      return answer;
    },
    forget: () => {
      request_id.current = undefined;
      setEnvelope(undefined);
      call.reset();
    },
  };
}

/** crypto.randomUUID exists only on https and loopback. */
const randomId = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
