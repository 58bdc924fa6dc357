import { isNode } from '@countersign/contracts';
import type { ParameterBinding, ValueStyle } from '../binding.js';
import { type OpenApiDocument, OperationFault } from '../document.js';
import { plainText } from '../schema/copy.js';
import type { Operation } from './operations.js';

const PARAMETERS_MAX = 200;
const DESCRIPTION_CHARS = 300;
/** Headers that are not inputs: OpenAPI ignores the first three, and the others belong to the connection. */
const OWN_HEADERS = new Set(
  'accept content-type authorization host connection content-length transfer-encoding cookie te trailer upgrade proxy-authorization expect keep-alive'.split(
    ' ',
  ),
);
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** A parameter with the source of its schema. */
export interface Parameter {
  binding: ParameterBinding;
  required: boolean;
  schema: unknown;
  description: string;
}

const STYLES: Readonly<Record<ParameterBinding['in'], { usual: ValueStyle; known: readonly string[] }>> = {
  path: { usual: 'simple', known: ['simple'] },
  header: { usual: 'simple', known: ['simple'] },
  query: { usual: 'form', known: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] },
  cookie: { usual: 'form', known: ['form'] },
};

/** A name that models and clients accept for an input. */
export const inputName = (name: string): string =>
  name
    .replace(/\[\]$/, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);

/** The parameters of an operation: its own, and those of its path that it does not replace. @throws OperationFault */
export function parametersOf(document: OpenApiDocument, { node, item }: Operation): Parameter[] {
  const merged = new Map<string, Record<string, unknown>>();
  for (const list of [item.parameters, node.parameters]) {
    for (const each of Array.isArray(list) ? list : []) {
      const parameter = document.object(each);
      merged.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  if (merged.size > PARAMETERS_MAX) throw new OperationFault(`has more than ${PARAMETERS_MAX} parameters`);
  const all = [...merged.values()].filter((parameter) => !isOwnHeader(parameter)).map((parameter) => parameterOf(document, parameter));
  return withDistinctInputs(all);
}

const isOwnHeader = ({ in: place, name }: Record<string, unknown>): boolean =>
  place === 'header' && OWN_HEADERS.has(String(name).toLowerCase());

function parameterOf(document: OpenApiDocument, parameter: Record<string, unknown>): Parameter {
  const { in: place, name, description, required } = parameter;
  if (typeof name !== 'string' || name === '' || name.length > 200) throw new OperationFault('has a parameter without a name');
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie')
    throw new OperationFault(`has a parameter in ${JSON.stringify(String(place).slice(0, 40))}`);
  if ((place === 'header' || place === 'cookie') && !HEADER_NAME.test(name))
    throw new OperationFault(`has a ${place} parameter whose name is not allowed: ${JSON.stringify(name)}`);
  const { schema, ...style } = writtenAs(document, place, parameter);
  return {
    binding: {
      input: inputName(name),
      name,
      in: place,
      ...style,
      ...(parameter.allowReserved === true ? { reserved: true as const } : {}),
    },
    required: required === true || place === 'path',
    schema,
    description: typeof description === 'string' ? plainText(description, DESCRIPTION_CHARS) : '',
  };
}

function writtenAs(
  document: OpenApiDocument,
  place: ParameterBinding['in'],
  { name, style, explode, schema, content }: Record<string, unknown>,
) {
  if (isNode(content)) {
    const [[type, media] = []] = Object.entries(content);
    if (type === undefined || !/^application\/([^;]+\+)?json\b/.test(type))
      throw new OperationFault(
        `has the parameter ${JSON.stringify(name)} with the content ${JSON.stringify(type ?? '')}, which is not supported`,
      );
    return { style: 'json' as const, explode: false, schema: document.object(media).schema };
  }
  const { usual, known } = STYLES[place];
  if (style !== undefined && !known.includes(String(style)))
    throw new OperationFault(`has the parameter ${JSON.stringify(name)} in the style ${JSON.stringify(style)}, which is not supported`);
  const used = (style ?? usual) as ValueStyle;
  return { style: used, explode: typeof explode === 'boolean' ? explode : used === 'form' || used === 'deepObject', schema };
}

/** `id` in the path and `id` in the query are `path_id` and `query_id`. */
function withDistinctInputs(parameters: Parameter[]): Parameter[] {
  const counts = new Map<string, number>();
  for (const { binding } of parameters) counts.set(binding.input, (counts.get(binding.input) ?? 0) + 1);
  const taken = new Set<string>();
  for (const { binding } of parameters) {
    if ((counts.get(binding.input) ?? 0) > 1) binding.input = `${binding.in}_${binding.input}`.slice(0, 64);
    if (binding.input === '' || taken.has(binding.input))
      throw new OperationFault(`has two parameters that would be the same input: ${JSON.stringify(binding.name)}`);
    taken.add(binding.input);
  }
  return parameters;
}
