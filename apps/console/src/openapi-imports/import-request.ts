import type { Schemas } from '../gateway/schemas.js';
import type { ReadDocument } from './read-document.js';

export type ImportBody = Schemas['OpenApiImportRequest'];

/** What a person fills in for an import. An empty field leaves what the import before it had. */
export interface ImportFields {
  name: string;
  source: 'file' | 'url';
  document: ReadDocument | undefined;
  url: string;
  base_url: string;
  /** A line for each: `name = value`. */
  server_variables: string;
  security_scheme: string;
  auth_as: string;
  auth_name: string;
  auth_secret: string;
  only: string;
  /** JSON: what the operator declares of single operations. */
  operations: string;
}

export const emptyImport = (name: string): ImportFields => ({
  name,
  source: 'file',
  document: undefined,
  url: '',
  base_url: '',
  server_variables: '',
  security_scheme: '',
  auth_as: '',
  auth_name: '',
  auth_secret: '',
  only: '',
  operations: '',
});

export const IMPORT_FIELDS = [
  '/name',
  '/url',
  '/document',
  '/base_url',
  '/server_variables',
  '/security_scheme',
  '/auth',
  '/only',
  '/operations',
];

/** An operation may stand for `POST /charges`: lines only, because a path may have a comma. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** Why the form cannot be sent yet, by the pointer of the field; undefined: it can. */
export function importFault({ name, source, document, url, operations }: ImportFields): Record<string, string> | undefined {
  const faults: Record<string, string> = {};
  if (!/^[a-z][a-z0-9]{0,15}$/.test(name.trim())) faults['/name'] = 'Lower case letters and digits, a letter first, at most 16.';
  if (source === 'file' && !document) faults['/document'] = 'Choose a file.';
  if (source === 'url' && url.trim() === '') faults['/url'] = 'Enter an address, such as https://api.example.com/openapi.json.';
  if (operations.trim() !== '' && operationsOf(operations) === undefined) faults['/operations'] = 'This is not a JSON object.';
  return Object.keys(faults).length > 0 ? faults : undefined;
}

function operationsOf(text: string): ImportBody['operations'] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ImportBody['operations']) : undefined;
  } catch {
    return undefined;
  }
}

/** The body of `POST /v1/openapi-imports`, and of its plan. */
export function importRequest(form: ImportFields): ImportBody {
  const { source, document, auth_as, auth_name, auth_secret } = form;
  const text = (value: string) => value.trim();
  return {
    name: text(form.name),
    ...(source === 'url' ? { url: text(form.url) } : document?.body),
    ...(text(form.base_url) !== '' && { base_url: text(form.base_url) }),
    ...(text(form.server_variables) !== '' && { server_variables: variablesOf(form.server_variables) }),
    ...(text(form.security_scheme) !== '' && { security_scheme: text(form.security_scheme) }),
    ...(auth_as !== '' && {
      auth: {
        as: auth_as as NonNullable<ImportBody['auth']>['as'],
        secret: text(auth_secret) || 'credential',
        ...(text(auth_name) !== '' && { name: text(auth_name) }),
      },
    }),
    ...(linesOf(form.only).length > 0 && { only: linesOf(form.only) }),
    ...(text(form.operations) !== '' && { operations: operationsOf(form.operations) }),
  };
}
