/** Counts calls by tool and end out of `audit-view`. Feed it every record; it knows one that comes twice by its id. */
export class UsageFold {
  #seen = new Set();
  #tools = new Map();

  /**
   * @param {Record<string, string>} headers of the record: a CloudEvent in binary mode
   * @param {{ event_type: string, tool: string | null, caller: string | null }} event its data, decoded
   */
  take(headers, event) {
    if (headers.ce_specversion !== '1.0' || headers.ce_type !== 'dev.countersign.audit-event.v1') return;
    const id = `${headers.ce_source} ${headers.ce_id}`;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (event.tool === null) return;
    const counts = this.#tools.get(event.tool) ?? { requested: 0, ended: 0 };
    if (event.event_type === 'tool_call_requested') counts.requested++;
    if (event.event_type === 'tool_executed') counts.ended++;
    this.#tools.set(event.tool, counts);
  }

  /** @returns {Record<string, { requested: number, ended: number }>} by tool */
  result() {
    return Object.fromEntries([...this.#tools].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
