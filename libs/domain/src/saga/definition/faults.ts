import type { JsonSchema, Reversibility } from '@countersign/contracts';

/** A fault of a definition, or a warning for its author. */
export interface DefinitionFault {
  severity: 'fault' | 'warning';
  /** Name of the step, wait, branch or map; null if it has none. */
  step: string | null;
  /** JSON Pointer into the definition. */
  pointer: string;
  message: string;
}

/** The facts about one version of a tool that the check uses. */
export interface KnownTool {
  name: string;
  version: string;
  state: 'active' | 'deprecated' | 'blocked';
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  is_write: boolean;
  reversibility: Reversibility;
  has_compensate: boolean;
  /** Declared p99; null: unknown. */
  latency_p99_ms: number | null;
}

export const faultAt = (step: string | null, pointer: string, message: string): DefinitionFault => ({
  severity: 'fault',
  step,
  pointer,
  message,
});
export const warningAt = (step: string | null, pointer: string, message: string): DefinitionFault => ({
  severity: 'warning',
  step,
  pointer,
  message,
});
