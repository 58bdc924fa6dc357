/** Characters of one expression. */
export const TEXT_CHARS_MAX = 4096;
/** Words and signs of one expression: more are not even parsed. */
export const TOKENS_MAX = 2500;
/** Nodes of its syntax tree, macros expanded. */
export const NODES_MAX = 1000;
/** Levels of its syntax tree. */
export const DEPTH_MAX = 64;
/** Loops (`all`, `exists`, `map`, `filter`) inside each other. */
export const LOOP_DEPTH_MAX = 3;
/** Items that all loops and searches of one evaluation may look at together, with inputs of a usual size. */
export const TURNS_MAX = 10_000;
/** Characters of inputs up to which there are so many turns; with larger inputs a turn may cost more, and there are fewer. */
export const USUAL_INPUTS_CHARS = 65_536;
/** Steps of a compiled pattern. */
export const PATTERN_STEPS_MAX = 2500;
/** The work of one turn for a pattern: characters times its steps, since each character may take all of them. */
export const MATCHED_STEPS_PER_TURN = 2048;
