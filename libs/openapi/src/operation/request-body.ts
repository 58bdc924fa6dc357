import { isNode } from '@countersign/contracts';
import type { BodyBinding, FieldStyle, ValueStyle } from '../binding.js';
import { type OpenApiDocument, OperationFault } from '../document.js';
import type { Operation } from './operations.js';

/** Input of a body that is not flattened into inputs of its properties. */
const BODY = 'body';
const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];

/** The body of an operation with the sources of the schemas of its inputs. */
export interface RequestBody {
  binding: BodyBinding;
  /** Input → source of its schema. */
  properties: Readonly<Record<string, unknown>>;
  required: string[];
}

const isJson = (type: string): boolean => /^application\/([^;]+\+)?json\b/i.test(type);
const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type);
const isText = (type: string): boolean => /^text\/plain\b/i.test(type);
const kinds = [
  { kind: 'json', is: isJson },
  { kind: 'form', is: isForm },
  { kind: 'text', is: isText },
] as const;

/** @param taken Names of inputs that parameters have @throws OperationFault for a type that is not supported */
export function requestBodyOf(document: OpenApiDocument, { node, method }: Operation, taken: ReadonlySet<string>): RequestBody | undefined {
  if (node.requestBody === undefined || method === 'GET' || method === 'HEAD') return undefined;
  const body = document.object(node.requestBody);
  const content = isNode(body.content) ? body.content : {};
  const types = Object.keys(content);
  if (types.length === 0) return undefined;
  for (const { kind, is } of kinds) {
    const type = types.find(is);
    if (type === undefined) continue;
    const media = document.object(content[type]);
    return bodyOf(
      document,
      { kind, content_type: kind === 'json' ? plainType(type) : type },
      { media, required: body.required === true, taken },
    );
  }
  if (body.required !== true) return undefined;
  throw new OperationFault(
    `takes a body of ${types
      .slice(0, 3)
      .map((type) => JSON.stringify(type.slice(0, 80)))
      .join(', ')}: only JSON, forms (application/x-www-form-urlencoded) and plain text are sent`,
  );
}

const plainType = (type: string): string => (/[;\r\n]/.test(type) ? 'application/json' : type);

interface Declared {
  media: Record<string, unknown>;
  required: boolean;
  taken: ReadonlySet<string>;
}

function bodyOf(
  document: OpenApiDocument,
  as: Pick<BodyBinding, 'kind' | 'content_type'>,
  { media, required, taken }: Declared,
): RequestBody {
  const styles = as.kind === 'form' ? stylesIn(media.encoding) : {};
  const styled = Object.keys(styles).length > 0 ? { styles } : {};
  const flat = flattened(document, media.schema, required, taken);
  if (flat && as.kind !== 'text') {
    const binding: BodyBinding = { ...as, from: { properties: Object.keys(flat.properties) }, ...styled };
    return { binding, ...flat };
  }
  const input = taken.has(BODY) ? 'request_body' : BODY;
  if (taken.has(input)) throw new OperationFault(`has parameters named ${BODY} and request_body beside its body`);
  const schema = as.kind === 'form' ? { allOf: [media.schema ?? {}], type: 'object' } : (media.schema ?? {});
  return { binding: { ...as, from: { input }, ...styled }, properties: { [input]: schema }, required: required ? [input] : [] };
}

/**
 * The properties of a body as inputs of their own, so that they can discriminate. Only for a plain object whose members are all known,
 * differ from the parameters, and may be absent where the body may.
 */
function flattened(
  document: OpenApiDocument,
  schema: unknown,
  required: boolean,
  taken: ReadonlySet<string>,
): Omit<RequestBody, 'binding'> | undefined {
  const node = document.object(schema ?? {});
  const { properties, additionalProperties: more } = node;
  if (!isNode(properties) || Object.keys(properties).length === 0 || (more !== undefined && more !== false)) return undefined;
  if (['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'discriminator'].some((keyword) => keyword in node)) return undefined;
  const names = Object.keys(properties).filter((name) => !isReadOnly(document, properties[name]));
  if (names.length === 0 || names.some((name) => taken.has(name) || !/^[A-Za-z0-9_.-]{1,64}$/.test(name) || name === '__proto__'))
    return undefined;
  const needed = Array.isArray(node.required) ? node.required.filter((name): name is string => names.includes(name as string)) : [];
  if (!required && needed.length > 0) return undefined;
  return { properties: Object.fromEntries(names.map((name) => [name, properties[name]])), required: needed };
}

function isReadOnly(document: OpenApiDocument, property: unknown): boolean {
  return isNode(property) && document.object(property).readOnly === true;
}

function stylesIn(encoding: unknown): Record<string, FieldStyle> {
  const styles: Record<string, FieldStyle> = {};
  for (const [name, declared] of Object.entries(isNode(encoding) ? encoding : {})) {
    if (!isNode(declared) || !STYLES.includes(String(declared.style))) continue;
    const style = declared.style as ValueStyle;
    styles[name] = { style, explode: typeof declared.explode === 'boolean' ? declared.explode : style === 'form' };
  }
  return styles;
}
