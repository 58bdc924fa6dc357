import { hash } from 'node:crypto';

/** SHA-256, lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
