import { regexHazard } from '@countersign/contracts';

type Node = Readonly<Record<string, unknown>>;
type Kept = Record<string, unknown>;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Formats that every validator knows. Others, such as `int64` or `password`, are annotations. */
const FORMATS = new Set(['date-time', 'date', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname']);
const COUNTS = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties', 'maxContains', 'minContains'];
const PATTERN_WORK = 20_000;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether an expression may run on inputs. */
export const isSafePattern = (pattern: string): boolean => regexHazard(pattern, { left: PATTERN_WORK }) === null;

/** The types of a schema; undefined if it declares none. In 3.0 `nullable` adds null. */
export function typesOf(node: Node, is_3_0: boolean): string[] | undefined {
  const declared = [node.type].flat().filter((type): type is string => typeof type === 'string' && TYPES.has(type));
  if (declared.length === 0) return undefined;
  return [...new Set(is_3_0 && node.nullable === true ? [...declared, 'null'] : declared)];
}

/** `exclusiveMinimum: true` beside `minimum: 5` of 3.0 is `exclusiveMinimum: 5` of 2020-12. */
function bounds(node: Node, is_3_0: boolean, kept: Kept): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = node[bound];
    if (is_3_0 && node[exclusive] === true) {
      if (isNumber(value)) kept[exclusive] = value;
      continue;
    }
    if (isNumber(value)) kept[bound] = value;
    if (!is_3_0 && isNumber(node[exclusive])) kept[exclusive] = node[exclusive];
  }
}

function values(node: Node, is_3_0: boolean, kept: Kept): void {
  if (Array.isArray(node.enum) && node.enum.length > 0)
    kept.enum = is_3_0 && node.nullable === true && !node.enum.includes(null) ? [...node.enum, null] : [...new Set(node.enum)];
  if (!is_3_0 && 'const' in node) kept.const = node.const;
  if (node.default !== undefined && typeof node.default !== 'object') kept.default = node.default;
}

/** The keywords of a schema without subschemas, as JSON Schema 2020-12. What is not valid there is left out: it would allow everything. */
export function plainKeywords(node: Node, { is_3_0, formats }: { is_3_0: boolean; formats: boolean }): Kept {
  const kept: Kept = {};
  bounds(node, is_3_0, kept);
  values(node, is_3_0, kept);
  for (const count of COUNTS) if (isCount(node[count])) kept[count] = node[count];
  if (isNumber(node.multipleOf) && node.multipleOf > 0) kept.multipleOf = node.multipleOf;
  if (node.uniqueItems === true) kept.uniqueItems = true;
  if (node.deprecated === true) kept.deprecated = true;
  if (typeof node.pattern === 'string' && isSafePattern(node.pattern)) kept.pattern = node.pattern;
  if (formats && typeof node.format === 'string' && FORMATS.has(node.format)) kept.format = node.format;
  const example = is_3_0 ? node.example : Array.isArray(node.examples) ? node.examples[0] : node.example;
  if (['string', 'number', 'boolean'].includes(typeof example)) kept.examples = [example];
  return kept;
}

/** The type that keywords imply where a schema declares none. */
export function impliedType(node: Node): string | undefined {
  const has = (...names: string[]) => names.some((name) => node[name] !== undefined);
  if (has('properties', 'additionalProperties', 'required', 'patternProperties', 'minProperties', 'maxProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('pattern', 'minLength', 'maxLength', 'format')) return 'string';
  if (has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum')) return 'number';
  return undefined;
}
