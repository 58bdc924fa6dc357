import type { BodyBinding, CredentialBinding, OperationBinding, ParameterBinding } from '@countersign/openapi';
import { ToolError } from '@countersign/tool-kit';
import { encoded, type Pair, pairsOf, simpleText, textOf } from './written-values.js';

/** A request as it is sent. Its address and its headers may contain credentials: neither is logged nor part of an error. */
export interface OperationRequest {
  method: OperationBinding['method'];
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

type Inputs = Readonly<Record<string, unknown>>;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const URL_CHARS_MAX = 16_384;
/** Properties of a form without a declared style: a list repeats its name, an object is JSON. */
const FORM = { style: 'form', explode: true } as const;

const refused = (message: string, path: string): ToolError =>
  new ToolError('VALIDATION_ERROR', message, { effect: 'none', retryable: false, details: { issues: [{ path, message }] } });

/** The request of an operation. @param secrets Values by name @throws ToolError (effect `none`) for inputs that cannot be written */
export function operationRequest(
  binding: OperationBinding,
  inputs: Inputs,
  { key, secrets }: { key: string | undefined; secrets: ReadonlyMap<string, string> },
): OperationRequest {
  const given = binding.parameters.filter(({ input }) => inputs[input] !== undefined);
  const query = [
    ...given.filter((one) => one.in === 'query').flatMap((one) => queryPairs(one, inputs[one.input], binding)),
    ...secretPairs(binding, secrets),
  ];
  const url = withQuery(pathOf(binding, inputs), query);
  if (url.length > URL_CHARS_MAX) throw refused(`the address would have more than ${URL_CHARS_MAX} characters`, '');
  const body = bodyOf(binding.body, inputs);
  const headers = {
    ...headersOf(given, inputs),
    ...(binding.body && body !== undefined ? { 'content-type': binding.body.content_type } : {}),
    accept: binding.accept,
    'accept-encoding': 'identity',
    'user-agent': 'countersign',
    ...(key !== undefined && binding.idempotency_header ? { [binding.idempotency_header.toLowerCase()]: key } : {}),
    ...secretHeaders(binding, given, inputs, secrets),
  };
  return { method: binding.method, url, headers, body };
}

function withQuery(url: string, query: readonly Pair[]): string {
  return query.length === 0 ? url : `${url}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** A path parameter never changes the path: an empty one, `.` and `..` would lead to another operation. */
function pathOf({ url, parameters }: OperationBinding, inputs: Inputs): string {
  return url.replace(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const value = parameter && inputs[parameter.input];
    const path = `/${parameter?.input ?? name}`;
    if (value === undefined || value === null) throw refused('the path parameter is missing', path);
    const parts = simpleText(value, parameter?.explode ?? false);
    const text = parts.map(encoded).join(',');
    if (/^(\.{0,2}|(%2e){1,2})$/i.test(text)) throw refused('a path parameter must not be empty, "." or ".."', path);
    return text;
  });
}

/** An object that spreads over the query must not set a parameter that carries a credential. */
function queryPairs(parameter: ParameterBinding, value: unknown, { credentials }: OperationBinding): Pair[] {
  const pairs = pairsOf(parameter.name, value, parameter, parameter.reserved);
  const own = new Set(credentials.filter(({ as }) => as === 'query').map(({ name }) => encoded(name)));
  if (pairs.some(([name]) => own.has(name))) throw refused('the input would replace a credential', `/${parameter.input}`);
  return pairs;
}

function headersOf(given: readonly ParameterBinding[], inputs: Inputs): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { in: place, name, input, explode, style } of given) {
    if (place !== 'header') continue;
    const value = inputs[input];
    const text = style === 'json' ? JSON.stringify(value) : simpleText(value, explode).join(',');
    if (!HEADER_VALUE.test(text)) throw refused('a header takes printable ASCII only', `/${input}`);
    headers[name.toLowerCase()] = text;
  }
  return headers;
}

function bodyOf(body: BodyBinding | undefined, inputs: Inputs): string | undefined {
  if (!body) return undefined;
  const value = 'input' in body.from ? inputs[body.from.input] : propertiesOf(body.from.properties, inputs);
  if (value === undefined) return undefined;
  if (body.kind === 'json') return JSON.stringify(value);
  if (body.kind === 'text') return textOf(value);
  const fields = Object.entries((value ?? {}) as Inputs);
  return fields
    .flatMap(([name, field]) => (field === undefined ? [] : pairsOf(name, field, body.styles?.[name] ?? FORM_OF(field))))
    .map(([name, field]) => `${name}=${field}`)
    .join('&');
}

/** An object without a declared style is one field of JSON (OpenAPI 3, Encoding Object). */
const FORM_OF = (field: unknown) =>
  typeof field === 'object' && field !== null && !Array.isArray(field) ? ({ style: 'json', explode: false } as const) : FORM;

function propertiesOf(names: readonly string[], inputs: Inputs): Inputs | undefined {
  const given = names.filter((name) => inputs[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, inputs[name]]));
}

function secretPairs({ credentials }: OperationBinding, secrets: ReadonlyMap<string, string>): Pair[] {
  return credentials.filter(({ as }) => as === 'query').map((one) => [encoded(one.name), encoded(secretValue(one, secrets))] as const);
}

function secretHeaders(
  { credentials }: OperationBinding,
  given: readonly ParameterBinding[],
  inputs: Inputs,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const cookies = given
    .filter((one) => one.in === 'cookie')
    .flatMap((one) => pairsOf(one.name, inputs[one.input], one).map(([name, value]) => `${name}=${value}`));
  for (const one of credentials) {
    const value = secretValue(one, secrets);
    if (one.as === 'cookie') cookies.push(`${one.name}=${value}`);
    if (one.as === 'header') headers[one.name.toLowerCase()] = value;
    if (one.as === 'bearer') headers.authorization = `Bearer ${value}`;
    // A secret without a colon is a user name with an empty password, as APIs with keys take it.
    if (one.as === 'basic') headers.authorization = `Basic ${Buffer.from(value.includes(':') ? value : `${value}:`).toString('base64')}`;
  }
  return cookies.length === 0 ? headers : { ...headers, cookie: cookies.join('; ') };
}

function secretValue({ secret, as }: CredentialBinding, secrets: ReadonlyMap<string, string>): string {
  const value = secrets.get(secret) ?? '';
  if (as === 'basic' || as === 'query' || (HEADER_VALUE.test(value) && !(as === 'cookie' && /[;,\s"]/.test(value)))) return value;
  throw new ToolError('AUTH_REQUIRED', `the secret ${secret} has characters that its header cannot carry`, {
    effect: 'none',
    retryable: false,
  });
}
