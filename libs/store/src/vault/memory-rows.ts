import { isSameValue, placeText, type SealedPlace, type SealedRow, SealedRows } from './sealed-rows.js';

/** Sealed rows in memory: for specs, and as the base of the file. */
export class MemoryRows extends SealedRows {
  protected readonly rows = new Map<string, SealedRow>();

  async get(places: readonly SealedPlace[]): Promise<SealedRow[]> {
    return places.flatMap((place) => this.rows.get(placeText(place)) ?? []);
  }

  async list(kind: SealedPlace['kind'], tenant_id: string): Promise<SealedRow[]> {
    return [...this.rows.values()].filter((row) => row.kind === kind && row.tenant_id === tenant_id);
  }

  async put(row: SealedRow, over?: SealedRow): Promise<boolean> {
    return this.replace(row, over);
  }

  async remove(place: SealedPlace, over?: SealedRow): Promise<boolean> {
    const id = placeText(place);
    return (!over || isSameValue(this.rows.get(id), over)) && this.rows.delete(id);
  }

  protected replace(row: SealedRow, over: SealedRow | undefined): boolean {
    const id = placeText(row);
    const known = this.rows.get(id);
    if ((known?.version ?? 0) !== row.version - 1 || (over && !isSameValue(known, over))) return false;
    this.rows.set(id, row);
    return true;
  }

  async under_other_keys(key_id: string, limit: number): Promise<SealedRow[]> {
    return [...this.rows.values()].filter((row) => row.key_id !== key_id).slice(0, limit);
  }

  async rewrap(row: SealedRow, key: { key_id: string; wrapped: Buffer }): Promise<boolean> {
    if (this.rows.get(placeText(row)) !== row) return false;
    this.rows.set(placeText(row), { ...row, ...key });
    return true;
  }

  async sweep(before_ms: number): Promise<void> {
    for (const [id, row] of this.rows) if (isSwept(row, before_ms)) this.rows.delete(id);
  }

  async close(): Promise<void> {}
}

function isSwept(row: SealedRow, before_ms: number): boolean {
  return row.kind === 'token' && row.expires_at_ms !== null && row.expires_at_ms < before_ms;
}
