/** When a circuit opens, and how it closes again. Times in milliseconds. */
export interface CircuitSettings {
  /** Outcomes of this long are weighed. */
  window_ms: number;
  /** The window moves in steps of this length. */
  slot_ms: number;
  /** Fewer outcomes in the window never open a circuit. */
  outcomes_min: number;
  /** The circuit opens if at least this share of the outcomes failed, 0 to 1. */
  failure_ratio: number;
  /** It opens no earlier than this after its first failure was reported: executors that see the tool work report that until then. */
  confirm_ms: number;
  /** How long the first opening lasts. Each further one lasts twice as long as the one before. */
  open_ms: number;
  open_max_ms: number;
  /** How long one caller may hold the probe of a half-open circuit. */
  probe_ms: number;
  /** A half-open circuit without an outcome for this long counts as closed, so that a rule never blocks a tool for good. */
  forget_ms: number;
}

/** Half of at least 10 outcomes of the last minute open a circuit for 30 s, at most for 10 min after repeated openings. */
export const CIRCUIT_DEFAULTS: CircuitSettings = {
  window_ms: 60_000,
  slot_ms: 6_000,
  outcomes_min: 10,
  failure_ratio: 0.5,
  confirm_ms: 2_500,
  open_ms: 30_000,
  open_max_ms: 600_000,
  probe_ms: 60_000,
  forget_ms: 600_000,
};
