/** An output as it is recorded. */
export interface LimitedOutput {
  /** Null: it does not fit and nothing of it could be cut. */
  output_json: string | null;
  truncated: boolean;
}

function cut(text: string, excess_bytes: number): string {
  const bytes = Buffer.from(text);
  let keep = Math.max(0, bytes.length - excess_bytes);
  while (keep > 0 && ((bytes[keep] as number) & 0xc0) === 0x80) keep--;
  return bytes.subarray(0, keep).toString();
}

/** JSON of an output within a limit: where it is too long, its longest string at the top level is cut. */
export function limitOutput(output: unknown, bytes_max: number): LimitedOutput {
  const text = JSON.stringify(output ?? null);
  const bytes = text.length > bytes_max ? text.length : Buffer.byteLength(text);
  if (bytes <= bytes_max) return { output_json: text, truncated: false };
  const excess = Buffer.byteLength(text) - bytes_max + 16;
  let shorter: unknown;
  if (typeof output === 'string') shorter = cut(output, excess);
  else if (typeof output === 'object' && output !== null && !Array.isArray(output)) {
    const longest = Object.entries(output)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .sort((a, b) => b[1].length - a[1].length)[0];
    if (longest) shorter = { ...output, [longest[0]]: cut(longest[1], excess) };
  }
  const shortened = JSON.stringify(shorter);
  return shortened !== undefined && Buffer.byteLength(shortened) <= bytes_max
    ? { output_json: shortened, truncated: true }
    : { output_json: null, truncated: true };
}
