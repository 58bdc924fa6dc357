import type { SagaStarted } from '@countersign/contracts';

/** Records of earlier releases lack the definition: such a saga is shown but cannot run. */
export function isRecorded({ definition_json, wait_max_ms }: Pick<SagaStarted, 'definition_json' | 'wait_max_ms'>): boolean {
  return definition_json !== null && wait_max_ms !== null;
}
