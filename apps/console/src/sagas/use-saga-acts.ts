import { useMutation } from '../gateway/use-mutation.js';

export type SagaAct = 'pause' | 'resume' | 'cancel' | 'retry' | 'accept' | 'done_by_hand';

const PATHS = {
  pause: '/v1/sagas/{saga_id}/pause',
  resume: '/v1/sagas/{saga_id}/resume',
  cancel: '/v1/sagas/{saga_id}/cancel',
  retry: '/v1/sagas/{saga_id}/retry',
  accept: '/v1/sagas/{saga_id}/accept',
  done_by_hand: '/v1/sagas/{saga_id}/done-by-hand',
} as const;

export interface SagaActInput {
  act: SagaAct;
  step_id?: string | undefined;
  reason?: string | undefined;
}

const changed = (saga_id: string) => [{ kind: 'saga', id: saga_id } as const, { kind: 'ticket' } as const];
const given = <T extends object>(body: T): T => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as T;

/** Pauses, resumes or cancels a saga, or decides about one of its tickets. */
export const useSagaAct = (saga_id: string) =>
  useMutation(
    (api, { act, step_id, reason }: SagaActInput) =>
      // the routes take the same parameters; two of them demand a reason
      api.POST(PATHS[act] as (typeof PATHS)['accept'], {
        params: { path: { saga_id } },
        body: given({ step_id, reason }) as { reason: string },
      }),
    () => changed(saga_id),
  );

interface AnswerInput {
  step_id: string;
  outcome: 'answered' | 'refused';
  answer?: unknown;
  reason?: string | undefined;
}

/** Answers a wait of a saga. */
export const useWaitAnswer = (saga_id: string) =>
  useMutation(
    (api, { step_id, ...body }: AnswerInput) =>
      api.POST('/v1/sagas/{saga_id}/waits/{step_id}', { params: { path: { saga_id, step_id } }, body: given(body) }),
    () => changed(saga_id),
  );

interface ResolutionInput {
  call_id: string;
  resolution: 'happened' | 'did_not_happen';
  reason: string;
}

/** Records whether a call in doubt took effect. */
export const useResolution = (saga_id: string) =>
  useMutation(
    (api, { call_id, ...body }: ResolutionInput) => api.POST('/v1/calls/{call_id}/resolve', { params: { path: { call_id } }, body }),
    ({ call_id }) => [...changed(saga_id), { kind: 'call', id: call_id } as const],
  );
