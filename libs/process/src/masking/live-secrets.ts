import type { Masker } from '@countersign/outbound';

/** A run may still write lines after it has ended. */
const KEPT_MS = 60_000;

/** The secrets of the current runs of this process: they are masked in all its output lines. */
export class LiveSecrets {
  private readonly held = new Map<Masker, number>();

  /** Masks the secrets from now on, until a minute after `release`. */
  hold(masker: Masker): void {
    this.held.set(masker, Number.POSITIVE_INFINITY);
  }

  release(masker: Masker, monotonic_ms: number): void {
    if (this.held.has(masker)) this.held.set(masker, monotonic_ms + KEPT_MS);
  }

  /** Masks a line; free if no secret is held. */
  line(text: string): string {
    if (this.held.size === 0) return text;
    const now = performance.now();
    let line = text;
    for (const [masker, until] of this.held) {
      if (until <= now) this.held.delete(masker);
      else line = masker.text(line);
    }
    return line;
  }
}

/** The instance of this process, for its log lines and the output of tools. */
export const liveSecrets = new LiveSecrets();

type Write = typeof process.stdout.write;

/** Masks live secrets in everything that is printed to this stream. */
export function guardStream(stream: { write: Write }): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
  stream.write = ((chunk: unknown, ...more: unknown[]) =>
    write(typeof chunk === 'string' ? liveSecrets.line(chunk) : maskedBytes(chunk), ...more)) as Write;
}

function maskedBytes(chunk: unknown): unknown {
  if (!(chunk instanceof Uint8Array)) return chunk;
  const text = Buffer.from(chunk).toString();
  const masked = liveSecrets.line(text);
  return masked === text ? chunk : Buffer.from(masked);
}
