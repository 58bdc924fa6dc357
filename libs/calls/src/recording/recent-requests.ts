const KEPT_MAX = 10_000;

/** Ids of the numbered calls that this gateway recorded lately: the view may not have them yet. The oldest are forgotten first. */
export class RecentRequests {
  private readonly ids = new Set<string>();

  has(callId: string): boolean {
    return this.ids.has(callId);
  }

  add(callId: string): void {
    this.ids.delete(callId);
    this.ids.add(callId);
    const oldest = this.ids.size > KEPT_MAX ? this.ids.values().next().value : undefined;
    if (oldest !== undefined) this.ids.delete(oldest);
  }

  /** It could not be recorded. */
  remove(callId: string): void {
    this.ids.delete(callId);
  }
}
