import { Refusal } from '@countersign/calls';
import type { ApiKey } from '@countersign/domain';
import type { LogRecord } from '@countersign/event-log';

/** Headers that name a tenant or a principal. The topic alone says who writes: they may only repeat it. */
const TENANT_HEADERS = new Set(['tenant', 'tenant_id', 'tenant-id', 'ce_tenantid', 'countersign-tenant', 'x-tenant-id']);
const PRINCIPAL_HEADERS = new Set(['principal', 'principal_id', 'principal-id', 'countersign-principal', 'x-principal-id']);

const claims = (what: string): Refusal =>
  new Refusal(
    'forbidden',
    `the record names another ${what} than that of its topic`,
    { reason: 'producer_claims_another' },
    { access: 'cross_tenant' },
  );

const textMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

/** Refuses a record that claims to come from another tenant or principal. Undefined: it does not. */
export function claimsAnother({ headers }: Pick<LogRecord, 'headers'>, value: unknown, owner: ApiKey): Refusal | undefined {
  for (const [name, text] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (TENANT_HEADERS.has(lower) && text !== owner.tenant_id) return claims('tenant');
    if (PRINCIPAL_HEADERS.has(lower) && text !== owner.principal.id) return claims('principal');
    if (lower === 'authorization')
      return new Refusal('forbidden', 'a record carries no credentials: its topic says who writes', { reason: 'producer_claims_another' });
  }
  const meta = textMember(value, 'meta');
  for (const one of [value, meta]) {
    const tenant = textMember(one, 'tenant_id');
    if (tenant !== undefined && tenant !== owner.tenant_id) return claims('tenant');
  }
  return textMember(value, 'principal') === undefined ? undefined : claims('principal');
}
