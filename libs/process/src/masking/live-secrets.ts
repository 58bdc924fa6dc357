import type { Masker } from './masker.js';

/** A run may still write lines when it has ended. */
const KEPT_MS = 60_000;

/** The secrets that runs of this process hold now: no line that it writes shows one of them. */
export class LiveSecrets {
  private readonly held = new Map<Masker, number>();

  /** From now on, until a minute after `release`. */
  hold(masker: Masker): void {
    this.held.set(masker, Number.POSITIVE_INFINITY);
  }

  release(masker: Masker, monotonic_ms: number): void {
    if (this.held.has(masker)) this.held.set(masker, monotonic_ms + KEPT_MS);
  }

  /** Costs nothing where no secret is held. */
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

/** Of this process: its log lines and whatever a tool prints go through it. */
export const liveSecrets = new LiveSecrets();

type Write = typeof process.stdout.write;

/** Lets nothing that is printed to this stream show a live secret. */
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
