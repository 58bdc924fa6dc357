/** A tool as `GET /v1/upstreams/{name}` lists it. */
export interface ToolSummary {
  tool: string;
  name: string;
  version: string;
  state: string;
  why: string | null;
  flags: string[];
  effect_class: string;
  digest: string;
  listed_digest: string | null;
}

/** The answer of `GET /v1/upstreams/{name}`. */
export interface Upstream {
  name: string;
  revision: number;
  health: { state: string; fault: string | null; listed_at: string | null };
  tools: ToolSummary[];
  refused: { tool: string; reason: string }[];
}

/** Looks again until what it sees holds. */
export async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const end_ms = performance.now() + 30_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > end_ms) throw new Error(`not reached: ${JSON.stringify(seen).slice(0, 2_000)}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}
