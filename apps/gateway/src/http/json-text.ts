/**
 * JSON that is made already. It is sent as it is, without being parsed; the schema of its route is for the document, and is
 * checked where answers are strict. A large one is in pieces, cut between values, and is never handled as a whole.
 */
export class JsonText {
  readonly text: string | undefined;
  readonly pieces: readonly string[] | undefined;

  constructor({ text, pieces }: { text: string; pieces?: never } | { text?: never; pieces: readonly string[] }) {
    this.text = text;
    this.pieces = pieces;
  }

  /** What it says. */
  parsed(): unknown {
    return JSON.parse(this.text ?? (this.pieces ?? []).join(''));
  }
}
