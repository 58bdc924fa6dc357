/** Maximum length of an expression, characters. */
export const TEXT_CHARS_MAX = 4096;
/** Maximum tokens of an expression; longer ones are not parsed. */
export const TOKENS_MAX = 2500;
/** Maximum nodes of the syntax tree with expanded macros. */
export const NODES_MAX = 1000;
/** Maximum depth of the syntax tree. */
export const DEPTH_MAX = 64;
/** Maximum nesting of loops (`all`, `exists`, `map`, `filter`). */
export const LOOP_DEPTH_MAX = 3;
/** Maximum items that all loops and searches of one evaluation may visit, for inputs of usual size. */
export const TURNS_MAX = 10_000;
/** Size of inputs, characters, up to which the maximum applies; larger inputs get fewer turns because a turn may cost more. */
export const USUAL_INPUTS_CHARS = 65_536;
/** Maximum steps of a compiled pattern. */
export const PATTERN_STEPS_MAX = 2500;
/** Work of one turn for a pattern, in characters times steps: each character may need all steps. */
export const MATCHED_STEPS_PER_TURN = 2048;
