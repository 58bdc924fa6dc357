import { Refusal } from '../refusal.js';

export const noSuchCase = (case_id?: string): Refusal =>
  new Refusal('unknown-case', case_id === undefined ? 'no case has this id' : `there is no case ${JSON.stringify(case_id)}`);

/** `path`: where the request says `ext:` and something that cannot be a reference. */
export function badReference(path: string): Refusal {
  const message = 'the external_id of a case must follow ext: (1 to 200 visible characters)';
  return new Refusal('invalid-request', `${path}: ${message}`, { issues: [{ path, code: 'reference', message }] });
}
