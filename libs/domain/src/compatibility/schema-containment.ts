import type { JsonSchema } from '@countersign/contracts';
import { bounds, coversType, keywordHolds, opaque, typesOf, valuesOf } from './keyword-rules.js';
import { below, conjuncts, constraintText, isObject, refersBack, type SchemaNode } from './schema-node.js';

/** One reason why `inner` is not contained in `outer`. */
export interface SchemaDifference {
  /** JSON Pointer into the newer of the two schemas. */
  pointer: string;
  message: string;
}

export interface ContainmentRules {
  /** The newer of the two schemas: pointers of differences refer to it. */
  newer: 'inner' | 'outer';
  /** Readers ignore unknown fields (outputs): new fields are allowed even if `outer` is closed, but no field may be removed. */
  tolerant: boolean;
}

const STEPS_MAX = 2_000;
const TOO_LARGE = 'the schemas are too large to compare';
const DEPTH_MAX = 100;

interface Pair {
  inner: SchemaNode;
  outer: SchemaNode;
}

/**
 * Checks whether every value of one schema is valid under another (JSON Schema 2020-12, the supported subset). Conservative: whatever it
 * cannot decide counts as a difference. Bounded in steps and depth for any schemas.
 */
export class SchemaContainment {
  private steps = 0;
  private sameDefinitions = false;
  private readonly assumed = new Set<string>();

  constructor(private readonly rules: ContainmentRules) {}

  /** The reasons why some value of `inner` may be invalid under `outer`; empty if `inner` is contained. */
  differences(inner: JsonSchema, outer: JsonSchema): SchemaDifference[] {
    this.sameDefinitions = constraintText(inner.$defs ?? null, 'names') === constraintText(outer.$defs ?? null, 'names');
    return this.within({ schema: inner, root: inner, at: '' }, { schema: outer, root: outer, at: '' }, 0);
  }

  /** True if both have the same constraint text and their references have the same definitions. */
  private same(inner: unknown, outer: unknown): boolean {
    if (inner === undefined || this.steps > STEPS_MAX || constraintText(inner) !== constraintText(outer)) return false;
    return !refersBack(inner) || this.sameDefinitions;
  }

  private fault(pair: Pair, keyword: string, message: string): SchemaDifference[] {
    const at = this.rules.newer === 'inner' ? pair.inner.at : pair.outer.at;
    return [{ pointer: keyword === '' ? at : `${at}/${keyword}`, message }];
  }

  private within(inner: SchemaNode, outer: SchemaNode, depth: number): SchemaDifference[] {
    const pair = { inner, outer };
    if (++this.steps > STEPS_MAX || depth > DEPTH_MAX) return this.fault(pair, '', TOO_LARGE);
    const key = `${inner.at}\n${outer.at}`;
    const refers = inner.schema.$ref !== undefined || outer.schema.$ref !== undefined;
    // Assume that a pair under comparison holds unless a difference is found: so the comparison of recursive schemas terminates.
    if (refers && this.assumed.has(key)) return [];
    if (refers) this.assumed.add(key);
    const found = this.conjunctsWithin(pair, depth);
    if (refers) this.assumed.delete(key);
    return found;
  }

  private conjunctsWithin(pair: Pair, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    const parts = conjuncts(inner);
    const wanted = conjuncts(outer);
    if (!parts) return this.fault(pair, '', 'a reference of the narrower side cannot be followed');
    if (!wanted) return this.fault(pair, '', 'a reference cannot be followed');
    const found = wanted.flatMap((part) => this.withinOne(parts, part, { inner, outer: part }, depth));
    return found.length > 0 && this.same(inner.schema, outer.schema) ? [] : found;
  }

  /**
   * Compares a conjunction with one plain schema: for each keyword, some part of the conjunction (or each of its alternatives) must satisfy
   * it.
   */
  private withinOne(parts: readonly SchemaNode[], outer: SchemaNode, pair: Pair, depth: number): SchemaDifference[] {
    if (++this.steps > STEPS_MAX) return this.fault(pair, '', TOO_LARGE);
    const least = this.leastOf(parts.length === 0 ? [{ ...pair.inner, schema: {} }] : parts, outer, depth);
    if (least.length === 0) return least;
    const split = this.alternativesOf(parts);
    if (!split) return least;
    const { rest, branches } = split;
    return branches.flatMap((branch) => {
      const each = conjuncts(branch);
      if (!each) return this.fault(pair, '', 'a reference cannot be followed');
      return this.withinOne([...rest, ...each], outer, { inner: branch, outer }, depth + 1);
    });
  }

  private leastOf(parts: readonly SchemaNode[], outer: SchemaNode, depth: number): SchemaDifference[] {
    const whole = merged(parts);
    return this.plain(whole, outer, depth + 1);
  }

  private alternativesOf(parts: readonly SchemaNode[]): { rest: SchemaNode[]; branches: SchemaNode[] } | undefined {
    for (const part of parts) {
      const { anyOf, oneOf, ...own } = part.schema;
      const others = parts.filter((other) => other !== part);
      const rest = (kept: JsonSchema) => [...others, { ...part, schema: kept }];
      if (Array.isArray(anyOf)) {
        const kept = oneOf === undefined ? own : { ...own, oneOf };
        return { rest: rest(kept), branches: anyOf.map((branch, i) => below(part, branch, 'anyOf', i)) };
      }
      if (Array.isArray(oneOf)) return { rest: rest(own), branches: oneOf.map((branch, i) => below(part, branch, 'oneOf', i)) };
    }
    const many = parts.find(({ schema }) => Array.isArray(schema.type) && schema.type.length > 1);
    if (!many) return undefined;
    const branches = (many.schema.type as string[]).map((type) => ({ ...many, schema: { ...many.schema, type } }));
    return { rest: parts.filter((part) => part !== many), branches };
  }

  private plain(inner: SchemaNode, outer: SchemaNode, depth: number): SchemaDifference[] {
    const pair = { inner, outer };
    if (inner.schema.not !== undefined && constraintText(inner.schema.not) === '{}') return [];
    return [
      ...this.types(pair),
      ...this.values(pair),
      ...this.keywords(pair),
      ...this.objects(pair, depth),
      ...this.arrays(pair, depth),
      ...this.branches(pair, depth),
    ];
  }

  private types(pair: Pair): SchemaDifference[] {
    const { inner, outer } = pair;
    if (outer.schema.type === undefined) return [];
    const wanted = typesOf(outer.schema);
    const lost = typesOf(inner.schema).filter((type) => !coversType(wanted, type));
    return lost.length === 0 ? [] : this.fault(pair, 'type', `${[...new Set(lost)].join(', ')} is not among ${wanted.join(', ')}`);
  }

  private values(pair: Pair): SchemaDifference[] {
    const wanted = valuesOf(pair.outer.schema);
    if (!wanted) return [];
    const keyword = Object.hasOwn(pair.outer.schema, 'const') ? 'const' : 'enum';
    const given = valuesOf(pair.inner.schema);
    if (!given) return this.fault(pair, keyword, 'only some values are allowed where any value was allowed before');
    const known = new Set(wanted.map((value) => constraintText(value, 'literal')));
    const lost = given.filter((value) => !known.has(constraintText(value, 'literal')));
    return lost.length === 0
      ? []
      : this.fault(pair, keyword, `${lost.map((value) => JSON.stringify(value)).join(', ')} is not among the values`);
  }

  private keywords(pair: Pair): SchemaDifference[] {
    const { inner, outer } = pair;
    return Object.keys(outer.schema).flatMap((keyword) => {
      if (!(keyword in bounds || keyword in opaque) || keywordHolds(keyword, inner.schema, outer.schema)) return [];
      const before = inner.schema[keyword];
      const change = before === undefined ? 'is new' : `replaces ${JSON.stringify(before)}`;
      return this.fault(
        pair,
        keyword,
        keyword in bounds ? `the limit ${JSON.stringify(outer.schema[keyword])} ${change}` : `${keyword} ${change}, or cannot be compared`,
      );
    });
  }

  private objects(pair: Pair, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    if (!typesOf(inner.schema).includes('object')) return [];
    const given = isObject(inner.schema.properties) ? inner.schema.properties : {};
    const wanted = isObject(outer.schema.properties) ? outer.schema.properties : {};
    const required = (schema: JsonSchema) => (Array.isArray(schema.required) ? (schema.required as string[]) : []);
    const sure = new Set(required(inner.schema));
    const found = required(outer.schema)
      .filter((name) => !sure.has(name))
      .flatMap((name) => this.fault(pair, 'required', `${JSON.stringify(name)} is required by one side only`));
    for (const name of Object.keys(wanted)) found.push(...this.property(pair, name, given, wanted, depth));
    for (const name of Object.keys(given)) if (!Object.hasOwn(wanted, name)) found.push(...this.unknown(pair, name, given[name], depth));
    return [...found, ...this.others(pair, depth)];
  }

  private property(pair: Pair, name: string, given: JsonSchema, wanted: JsonSchema, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    const place = below(outer, wanted[name], 'properties', name);
    if (Object.hasOwn(given, name)) return this.within(below(inner, given[name], 'properties', name), place, depth + 1);
    const { additionalProperties } = inner.schema;
    if (additionalProperties !== false) return this.within(below(inner, additionalProperties, 'properties', name), place, depth + 1);
    if (!this.rules.tolerant) return [];
    return this.fault({ inner: below(inner, {}, 'properties', name), outer: place }, '', `the field ${JSON.stringify(name)} is missing`);
  }

  private unknown(pair: Pair, name: string, schema: unknown, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    const { additionalProperties } = outer.schema;
    if (additionalProperties === undefined || additionalProperties === true) return [];
    if (additionalProperties === false)
      return this.rules.tolerant
        ? []
        : this.fault(
            { inner: below(inner, schema, 'properties', name), outer: below(outer, {}, 'properties', name) },
            '',
            `the field ${JSON.stringify(name)} is missing`,
          );
    return this.within(below(inner, schema, 'properties', name), below(outer, additionalProperties, 'additionalProperties'), depth + 1);
  }

  private others(pair: Pair, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    const wanted = outer.schema.additionalProperties;
    const given = inner.schema.additionalProperties;
    if (wanted === undefined || wanted === true || given === false || (wanted === false && this.rules.tolerant)) return [];
    if (wanted === false) return this.fault(pair, 'additionalProperties', 'one side allows fields of any name');
    return this.within(below(inner, given, 'additionalProperties'), below(outer, wanted, 'additionalProperties'), depth + 1);
  }

  private arrays(pair: Pair, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    if (!typesOf(inner.schema).includes('array')) return [];
    const first = (schema: JsonSchema) => (Array.isArray(schema.prefixItems) ? schema.prefixItems : []);
    const [given, wanted] = [first(inner.schema), first(outer.schema)];
    const found: SchemaDifference[] = [];
    for (let i = 0; i < Math.max(given.length, wanted.length); i++) {
      const mine = i < given.length ? below(inner, given[i], 'prefixItems', i) : below(inner, inner.schema.items, 'items');
      const theirs = i < wanted.length ? below(outer, wanted[i], 'prefixItems', i) : below(outer, outer.schema.items, 'items');
      found.push(...this.within(mine, theirs, depth + 1));
    }
    if (outer.schema.items === undefined || inner.schema.items === false) return found;
    return [...found, ...this.within(below(inner, inner.schema.items, 'items'), below(outer, outer.schema.items, 'items'), depth + 1)];
  }

  /**
   * One branch must accept every value. For `oneOf`, the branches must also be provably disjoint: by a required constant or by their types.
   */
  private branches(pair: Pair, depth: number): SchemaDifference[] {
    const { inner, outer } = pair;
    return (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
      const wanted = outer.schema[keyword];
      if (!Array.isArray(wanted)) return [];
      if (this.same(inner.schema[keyword], wanted)) return [];
      if (keyword === 'oneOf' && !reportedApart(wanted))
        return this.fault(pair, keyword, 'the alternatives may overlap, so they cannot be compared');
      const fits = wanted.some((branch, i) => this.within(inner, below(outer, branch, keyword, i), depth + 1).length === 0);
      return fits ? [] : this.fault(pair, keyword, 'no alternative accepts every value');
    });
  }
}

/** Merges the parts into one schema. Of a repeated keyword the first one is used; this can only make the comparison stricter. */
function merged(parts: readonly SchemaNode[]): SchemaNode {
  const [first, ...rest] = parts as [SchemaNode, ...SchemaNode[]];
  if (rest.length === 0) return first;
  const schema = rest.reduce<JsonSchema>((all, part) => {
    const properties = isObject(all.properties) || isObject(part.schema.properties);
    const both = properties ? { properties: { ...(part.schema.properties as object), ...(all.properties as object) } } : {};
    const required = [...((all.required as string[] | undefined) ?? []), ...((part.schema.required as string[] | undefined) ?? [])];
    return { ...part.schema, ...all, ...both, ...(required.length > 0 ? { required } : {}) };
  }, first.schema);
  return { ...first, schema };
}

/** True if the branches are disjoint: each has its own type, or its own constant in the same required property. */
function reportedApart(branches: readonly unknown[]): boolean {
  const schemas = branches.map((branch) => (isObject(branch) ? branch : {}));
  const types = schemas.map((schema) => schema.type);
  if (types.every((type) => typeof type === 'string' && type !== 'integer') && new Set(types).size === types.length) return true;
  const [first] = schemas;
  const names = isObject(first?.properties) ? Object.keys(first.properties) : [];
  return names.some((name) => {
    const constants = schemas.map((schema) => constantOf(schema, name));
    return constants.every((text) => text !== undefined) && new Set(constants).size === constants.length;
  });
}

function constantOf(schema: JsonSchema, name: string): string | undefined {
  const property = isObject(schema.properties) ? schema.properties[name] : undefined;
  const required = Array.isArray(schema.required) && schema.required.includes(name);
  return required && isObject(property) && Object.hasOwn(property, 'const') ? JSON.stringify(property.const) : undefined;
}
