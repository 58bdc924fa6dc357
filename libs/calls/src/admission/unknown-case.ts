import { Refusal } from '../refusal.js';

export const noSuchCase = (case_id?: string): Refusal =>
  new Refusal('unknown-case', case_id === undefined ? 'no case has this id' : `there is no case ${JSON.stringify(case_id)}`);

/** The text after `ext:` in the request cannot be a reference. `path` is the JSON Pointer to it. */
export function badReference(path: string): Refusal {
  const message = 'the external_id of a case must follow ext: (1 to 200 visible characters)';
  return new Refusal('invalid-request', `${path}: ${message}`, { issues: [{ path, code: 'reference', message }] });
}
