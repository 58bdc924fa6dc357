/** Result of a command: its output lines and the exit code (0 done, 1 refused, 2 wrong usage). */
export interface Outcome {
  code: 0 | 1 | 2;
  lines: string[];
}

/** One command of `countersign`. */
export interface Command {
  name: string;
  /** Arguments and options, for the help. */
  usage: string;
  about: string;
  run(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Outcome>;
}
