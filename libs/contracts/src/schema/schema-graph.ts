import { isNode, subschemas } from './subschemas.js';

/** The node of a local `$ref`: `#`, `#/json/pointer` or `#anchor`; undefined if it does not exist. */
export function localTarget(root: Record<string, unknown>, ref: string, anchors: ReadonlyMap<string, Record<string, unknown>>): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return anchors.get(ref.slice(1));
  let node: unknown = root;
  for (const raw of ref.slice(2).split('/')) {
    let step: string;
    try {
      step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    } catch {
      return undefined;
    }
    const known = node !== null && typeof node === 'object' && Object.hasOwn(node, step);
    node = known ? (node as Record<string, unknown>)[step] : undefined;
  }
  return node;
}

/** The nodes of a schema as a graph: which apply to the same value, and which to nested values. */
export class SchemaGraph {
  readonly nodes: Record<string, unknown>[] = [];
  /** Nodes that apply to the same value. */
  readonly here: number[][] = [];
  /** Nodes that apply to nested values. */
  readonly below: { slot: string; node: number }[][] = [];
  private readonly numbers = new Map<object, number>();

  constructor(root: Record<string, unknown>, anchors: ReadonlyMap<string, Record<string, unknown>>) {
    this.number(root);
    for (let at = 0; at < this.nodes.length; at++) {
      const node = this.nodes[at] as Record<string, unknown>;
      for (const { schema, slot } of subschemas(node)) {
        if (!isNode(schema)) continue;
        const child = this.number(schema);
        if (slot === null) this.here[at]?.push(child);
        else if (slot !== 'defs' && slot !== 'names') this.below[at]?.push({ slot, node: child });
      }
      const target = typeof node.$ref === 'string' ? localTarget(root, node.$ref, anchors) : undefined;
      if (isNode(target)) this.here[at]?.push(this.number(target));
    }
  }

  private number(node: Record<string, unknown>): number {
    const known = this.numbers.get(node);
    if (known !== undefined) return known;
    this.here.push([]);
    this.below.push([]);
    this.numbers.set(node, this.nodes.length);
    return this.nodes.push(node) - 1;
  }
}
