import { createHash } from 'node:crypto';

/** The folder of a setting that all tenants share. No tenant's folder has this name. */
export const COMMON_FOLDER = 'shared';

const NAME_CHARS_MAX = 120;
/** Names that Windows reserves for devices, and the platform's shared folder. */
const RESERVED = /^(shared|con|prn|aux|nul|com\d|lpt\d)$/;
const KEPT = /[a-z0-9_-]/;

/**
 * The name of a tenant's folder. Two tenant ids never have the same name, not even on a disk that ignores case or normalizes Unicode: ids
 * of `a-z 0-9 _ -` stay as they are, every other byte is written as `=` and two hex digits, and an id that would be too long is written
 * as `==` and its SHA-256.
 */
export function tenantFolderName(tenant_id: string): string {
  if (tenant_id === '' || /\p{Surrogate}/u.test(tenant_id)) return hashed(tenant_id);
  const first_is_safe = /^[a-z0-9]/.test(tenant_id) && !RESERVED.test(tenant_id);
  const name = [...Buffer.from(tenant_id, 'utf8')].map((byte, at) => written(byte, at > 0 || first_is_safe)).join('');
  return name.length > NAME_CHARS_MAX ? hashed(tenant_id) : name;
}

function written(byte: number, may_be_kept: boolean): string {
  const char = String.fromCharCode(byte);
  return may_be_kept && KEPT.test(char) ? char : `=${byte.toString(16).padStart(2, '0')}`;
}

/** Hashes UTF-16, because two ids that are not well-formed Unicode can have the same UTF-8. */
function hashed(tenant_id: string): string {
  return `==${createHash('sha256').update(Buffer.from(tenant_id, 'utf16le')).digest('hex')}`;
}
