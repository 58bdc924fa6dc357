import { type StepBlock, usesOf } from './definition.js';

/** A fallback without a declared accuracy counts as this share of the level before it. */
const DEGRADATION = 0.9;
const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/** The accuracy of a level, 0 to 1: as declared, else 1 for the first level and nine tenths of the level before for a fallback. */
function accuracyOf(step: StepBlock, level: number): number {
  const declared = usesOf(step)[level]?.accuracy;
  return declared ?? (level === 0 ? 1 : DEGRADATION * accuracyOf(step, level - 1));
}

/**
 * The `provenance.confidence` of an answer of a step, 0 to 1, by the level that gave it. A confidence that the tool reports is lowered by
 * how much less accurate the level is than the first one, and never raised. Without a report it is the accuracy of the level. Null if
 * nothing is known: the first level without either, or a person's answer (a level after the last tool).
 */
export function levelConfidence(step: StepBlock, level: number, reported: number | null): number | null {
  if (level >= usesOf(step).length) return null;
  const accuracy = accuracyOf(step, level);
  if (reported === null) return level === 0 && step.use.accuracy === undefined ? null : rounded(accuracy);
  const first = accuracyOf(step, 0);
  return rounded(first > 0 ? reported * Math.min(1, accuracy / first) : reported);
}
