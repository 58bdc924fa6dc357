const NEWLINE = 10;

/** A stream has a line that is longer than any message may be. */
export class LineTooLong extends Error {}

/** Splits a stream of bytes into lines of bounded length. */
export class LineReader {
  private parts: Buffer[] = [];
  private held_bytes = 0;

  constructor(private readonly line_bytes_max: number) {}

  /** The lines that these bytes complete. @throws LineTooLong */
  take(bytes: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      this.hold(bytes.subarray(from, at));
      lines.push(this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts, this.held_bytes));
      this.parts = [];
      this.held_bytes = 0;
      from = at + 1;
    }
    if (from < bytes.length) this.hold(bytes.subarray(from));
    return lines;
  }

  private hold(part: Buffer): void {
    this.parts.push(part);
    this.held_bytes += part.length;
    if (this.held_bytes > this.line_bytes_max) throw new LineTooLong(`it wrote a line of more than ${this.line_bytes_max} bytes`);
  }
}
