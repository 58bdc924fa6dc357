import { isNode, type JsonSchema } from '@countersign/contracts';
import type { OpenApiDocument } from '../document.js';
import { impliedType, isSafePattern, plainKeywords, typesOf } from './keywords.js';

/** Whether values of the schema are sent to the server or come from it. */
export type Direction = 'input' | 'output';

/** How much of a schema is copied. */
export interface CopyLimits {
  /** Levels of properties and items below the root; deeper values may be anything. */
  depth_max: number;
  chars_max: number;
  /** Characters of a description; 0: none. */
  text_max: number;
}

/** The copy would be larger than it may be. */
export class TooLarge extends Error {}

/** Name of the definition of any JSON value. */
const JSON_DEF = 'json';
const REF_JSON = { $ref: `#/$defs/${JSON_DEF}` } as const;
/** Any JSON value with its types spelled out: a schema without a type is refused by the registry. */
const anyJson = {
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: REF_JSON },
    { type: 'object', additionalProperties: REF_JSON },
  ],
};
/** Characters that a node costs beside its texts. */
const NODE_CHARS = 8;

type Put = (schema: JsonSchema | boolean) => void;
interface Waiting {
  source: unknown;
  put: Put;
}

/**
 * Copies a schema of a document to JSON Schema 2020-12, breadth first: the definitions that it reaches go to `$defs`, each once and at its
 * smallest depth, and cycles stay references. Direction decides about `readOnly`, `writeOnly` and formats.
 */
export class SchemaCopy {
  /** A part was left out, so that the copy allows more than its source. */
  cut = false;
  private readonly defs: Record<string, JsonSchema | boolean> = {};
  private readonly names = new Map<string, string>();
  private chars = 0;
  private level: Waiting[] = [];
  private below: Waiting[] = [];
  private depth = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly direction: Direction,
    private readonly limits: CopyLimits,
    /** Leaves out what would refuse values once parts are missing: `oneOf` becomes `anyOf`, `not` and conditions go. */
    private readonly relaxed: boolean,
  ) {}

  /** @throws TooLarge; OperationFault for an external reference */
  copy(source: unknown): { schema: JsonSchema; defs: Record<string, JsonSchema | boolean> } {
    const root: { schema: JsonSchema | boolean } = { schema: {} };
    this.level = [
      {
        source,
        put: (schema) => {
          root.schema = schema;
        },
      },
    ];
    while (this.level.length > 0) {
      // Nodes at the same place of the value are appended while the level is read.
      for (let at = 0; at < this.level.length; at++) {
        const { source: next, put } = this.level[at] as Waiting;
        put(this.node(next));
      }
      this.level = this.below;
      this.below = [];
      this.depth++;
    }
    const schema = typeof root.schema === 'boolean' ? { ...REF_JSON } : root.schema;
    if (schema.$ref === REF_JSON.$ref) this.json();
    return { schema, defs: this.defs };
  }

  private node(source: unknown): JsonSchema | boolean {
    if (source === false) return false;
    if (!isNode(source)) return this.json();
    if (this.depth > this.limits.depth_max) {
      this.cut = true;
      return this.json();
    }
    if (typeof source.$ref === 'string') return this.reference(source, source.$ref);
    const is_3_0 = this.document.version === '3.0';
    const kept: JsonSchema = {};
    const text = this.textOf(source.description);
    if (text !== '') kept.description = text;
    const types = typesOf(source, is_3_0) ?? this.implied(source, is_3_0);
    if (types) kept.type = types.length === 1 ? types[0] : types;
    Object.assign(kept, plainKeywords(source, { is_3_0, formats: this.direction === 'input' }));
    this.pay(JSON.stringify(kept).length + NODE_CHARS);
    const composed = this.composed(source, kept);
    if (types?.includes('object')) this.object(source, kept, composed);
    if (types?.includes('array')) this.array(source, kept);
    if (!types && !composed && kept.enum === undefined && kept.const === undefined) return { ...this.json(), ...kept };
    return is_3_0 && source.nullable === true && !types && composed ? this.orNull(kept) : kept;
  }

  /** 3.0: a nullable composition without a type. Documents mean by it that null is a value. */
  private orNull(kept: JsonSchema): JsonSchema {
    const { description, ...composition } = kept;
    return { ...(description === undefined ? {} : { description }), anyOf: [composition, { type: 'null' }] };
  }

  private implied(source: Readonly<Record<string, unknown>>, is_3_0: boolean): string[] | undefined {
    const type = impliedType(source);
    if (type === undefined) return undefined;
    return is_3_0 && source.nullable === true ? [type, 'null'] : [type];
  }

  private json(): JsonSchema {
    if (!(JSON_DEF in this.defs)) {
      this.defs[JSON_DEF] = anyJson;
      this.pay(JSON.stringify(anyJson).length);
    }
    this.pay(NODE_CHARS * 3);
    return { ...REF_JSON };
  }

  /** 3.0 ignores what stands beside a reference. */
  private reference(source: Readonly<Record<string, unknown>>, ref: string): JsonSchema {
    let name = this.names.get(ref);
    if (name === undefined) {
      const target = this.document.at(ref);
      name = this.freeName(ref);
      this.names.set(ref, name);
      const def = name;
      this.defs[def] = {};
      this.level.push({
        source: target,
        put: (schema) => {
          this.defs[def] = schema;
        },
      });
    }
    this.pay(name.length * 2 + 24);
    const text = this.document.version === '3.1' ? this.textOf(source.description) : '';
    return { $ref: `#/$defs/${name}`, ...(text === '' ? {} : { description: text }) };
  }

  private freeName(ref: string): string {
    const last = (ref.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 60) || 'schema';
    let name = last;
    for (let count = 2; name in this.defs || name === JSON_DEF; count++) name = `${last}_${count}`;
    return name;
  }

  /** Schemas of the same value. True if there are any. */
  private composed(source: Readonly<Record<string, unknown>>, kept: JsonSchema): boolean {
    let found = false;
    const list = (from: string, to: string) => {
      const parts = source[from];
      if (!Array.isArray(parts) || parts.length === 0) return;
      found = true;
      const copies: (JsonSchema | boolean)[] = parts.map(() => true);
      if (kept[to] === undefined) kept[to] = copies;
      else kept.allOf = [...((kept.allOf as unknown[]) ?? []), { [to]: copies }];
      for (const [at, part] of parts.entries())
        this.level.push({
          source: part,
          put: (schema) => {
            copies[at] = schema;
          },
        });
    };
    list('allOf', 'allOf');
    list('anyOf', 'anyOf');
    list('oneOf', this.relaxed ? 'anyOf' : 'oneOf');
    if (!this.relaxed) for (const name of ['not', 'if', 'then', 'else']) this.member(this.level, source, name, kept);
    else if (['not', 'if'].some((name) => name in source)) this.cut = true;
    return found;
  }

  private object(source: Readonly<Record<string, unknown>>, kept: JsonSchema, composed: boolean): void {
    const properties = isNode(source.properties) ? source.properties : {};
    const copies: Record<string, JsonSchema | boolean> = {};
    for (const [name, part] of Object.entries(properties)) {
      if (name === '__proto__' || (this.direction === 'input' && this.isMarked(part, 'readOnly'))) continue;
      copies[name] = true;
      this.pay(name.length + 4);
      this.below.push({
        source: part,
        put: (schema) => {
          copies[name] = schema;
        },
      });
    }
    if (Object.keys(copies).length > 0) kept.properties = copies;
    const required = this.required(source, properties);
    if (required.length > 0) kept.required = required;
    this.patterns(source, kept);
    const more = source.additionalProperties;
    if (more === false) kept.additionalProperties = false;
    else if (isNode(more) && Object.keys(more).length > 0) this.member(this.below, source, 'additionalProperties', kept);
    else if (more !== undefined || (Object.keys(copies).length === 0 && !composed)) kept.additionalProperties = this.json();
    if (!this.relaxed) for (const name of ['propertyNames', 'unevaluatedProperties']) this.member(this.below, source, name, kept);
  }

  private required(source: Readonly<Record<string, unknown>>, properties: Readonly<Record<string, unknown>>): string[] {
    if (!Array.isArray(source.required)) return [];
    const mark = this.direction === 'input' ? 'readOnly' : 'writeOnly';
    const names = source.required.filter((name): name is string => typeof name === 'string');
    return [...new Set(names)].filter((name) => !this.isMarked(properties[name], mark));
  }

  private patterns(source: Readonly<Record<string, unknown>>, kept: JsonSchema): void {
    if (!isNode(source.patternProperties)) return;
    const copies: Record<string, JsonSchema | boolean> = {};
    for (const [pattern, part] of Object.entries(source.patternProperties)) {
      if (!isSafePattern(pattern)) continue;
      copies[pattern] = true;
      this.below.push({
        source: part,
        put: (schema) => {
          copies[pattern] = schema;
        },
      });
    }
    kept.patternProperties = copies;
  }

  private array(source: Readonly<Record<string, unknown>>, kept: JsonSchema): void {
    if (Array.isArray(source.prefixItems)) {
      const copies: (JsonSchema | boolean)[] = source.prefixItems.map(() => true);
      kept.prefixItems = copies;
      for (const [at, part] of source.prefixItems.entries())
        this.below.push({
          source: part,
          put: (schema) => {
            copies[at] = schema;
          },
        });
    }
    if (isNode(source.items) && Object.keys(source.items).length > 0) this.member(this.below, source, 'items', kept);
    else if (source.items === false) kept.items = false;
    else kept.items = this.json();
    if (!this.relaxed) this.member(this.below, source, 'contains', kept);
  }

  private member(queue: Waiting[], source: Readonly<Record<string, unknown>>, name: string, kept: JsonSchema): void {
    if (!isNode(source[name]) && typeof source[name] !== 'boolean') return;
    kept[name] = true;
    queue.push({
      source: source[name],
      put: (schema) => {
        kept[name] = schema;
      },
    });
  }

  private isMarked(part: unknown, mark: 'readOnly' | 'writeOnly'): boolean {
    if (!isNode(part)) return false;
    if (part[mark] === true) return true;
    return (
      typeof part.$ref === 'string' &&
      isNode(this.document.at(part.$ref)) &&
      (this.document.at(part.$ref) as Record<string, unknown>)[mark] === true
    );
  }

  private textOf(text: unknown): string {
    return typeof text === 'string' ? plainText(text, this.limits.text_max) : '';
  }

  private pay(chars: number): void {
    this.chars += chars;
    if (this.chars > this.limits.chars_max) throw new TooLarge();
  }
}

/** A text of a document for models and people: without markup, on one line, bounded. */
export function plainText(text: string, chars_max: number): string {
  if (chars_max === 0) return '';
  const clean = text
    .slice(0, chars_max * 4)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, '')
    // Control characters, and those that reorder or hide text.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clean.length <= chars_max ? clean : `${clean.slice(0, chars_max - 1)}…`;
}
