import type { SagaCall } from '@countersign/contracts';
import { levelConfidence, type StepBlock } from '@countersign/domain';

/** How far the level of a step lowers the confidence in its answer. */
export function confidenceOf(block: StepBlock, level: number): Pick<SagaCall, 'confidence' | 'confidence_share'> {
  return { confidence: levelConfidence(block, level, null), confidence_share: levelConfidence(block, level, 1) ?? 1 };
}
