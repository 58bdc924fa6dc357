import type { Query } from '../hermes/port.js';
import type { LedgerRecord } from './ledger-state.js';

const OPEN: readonly string[] = ['draft', 'quotation'];

/** Whether a record is one that a query asks for. */
export function matching({ status, fields }: LedgerRecord, { where, open, overdue_at, text }: Query): boolean {
  if (Object.entries(where).some(([name, value]) => (name === 'status' ? status : fields[name]) !== value)) return false;
  if (open && !OPEN.includes(status)) return false;
  if (overdue_at !== undefined && !(status === 'posted' && String(fields.due_date) < overdue_at)) return false;
  return text === undefined || [fields.name, fields.code].some((part) => String(part).toLowerCase().includes(text.toLowerCase()));
}
