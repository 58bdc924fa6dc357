import { recursionHazard } from './recursion-hazard.js';
import { regexHazard } from './regex-hazard.js';
import { localTarget, SchemaGraph } from './schema-graph.js';
import { isNode, subschemas } from './subschemas.js';

const CHARACTERS_MAX = 200_000;
const VALUES_MAX = 20_000;
const DEPTH_MAX = 64;
const FAULTS_MAX = 10;
const PATTERN_WORK = 20_000;
const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/**
 * Why a schema must not be used, one sentence per fault with its JSON Pointer; empty if it may. Only reads the value: nothing is fetched,
 * compiled or matched, and a schema that is too large or too deep is refused first. Refuses external references, expressions and recursions
 * that could run forever, and anything larger than 200,000 characters.
 */
export function schemaFaults(schema: unknown): string[] {
  const size = sizeFault(schema);
  if (size) return [size];
  if (!isNode(schema)) return ['a schema is an object'];
  const walk = new Walk(schema);
  if (walk.faults.length > 0) return walk.faults.slice(0, FAULTS_MAX);
  const hazard = recursionHazard(new SchemaGraph(schema, walk.anchors));
  return hazard ? [hazard] : [];
}

/** Measures without recursion, and stops as soon as a limit is exceeded. */
function sizeFault(schema: unknown): string | null {
  let characters = 0;
  let values = 0;
  const waiting: { value: unknown; depth: number }[] = [{ value: schema, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (depth > DEPTH_MAX) return `it is nested deeper than ${DEPTH_MAX}`;
    if (++values > VALUES_MAX) return `it has more than ${VALUES_MAX} values`;
    if (typeof value === 'string') characters += value.length;
    else if (value !== null && typeof value === 'object') {
      // Stop as soon as a limit is exceeded: listing a million names would take longer than refusing them.
      for (const name in value) {
        characters += name.length;
        waiting.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 });
        if (characters > CHARACTERS_MAX || values + waiting.length > VALUES_MAX) break;
      }
      if (values + waiting.length > VALUES_MAX) return `it has more than ${VALUES_MAX} values`;
    } else if (!['number', 'boolean'].includes(typeof value) && value !== null) return `it holds a ${typeof value}, which is not JSON`;
    if (characters > CHARACTERS_MAX) return `it has more than ${CHARACTERS_MAX} characters`;
  }
  return null;
}

/** Visits each nested schema once. */
class Walk {
  readonly faults: string[] = [];
  readonly anchors = new Map<string, Record<string, unknown>>();
  private readonly budget = { left: PATTERN_WORK };
  private readonly expressions = new Map<string, string | null>();
  private readonly refs: { ref: string; path: string }[] = [];

  constructor(private readonly root: Record<string, unknown>) {
    const waiting: { node: Record<string, unknown>; path: string }[] = [{ node: root, path: '' }];
    for (let next = waiting.pop(); next && this.faults.length < FAULTS_MAX; next = waiting.pop()) {
      const { node, path } = next;
      this.look(node, path);
      for (const part of subschemas(node)) {
        if (isNode(part.schema)) waiting.push({ node: part.schema, path: `${path}/${part.path}` });
        else if (typeof part.schema !== 'boolean') this.fault(`${path}/${part.path}`, 'is not a schema');
      }
    }
    for (const { ref, path } of this.refs) this.follow(ref, path);
  }

  private look(node: Record<string, unknown>, path: string): void {
    const { $ref, $schema, $id, $anchor, pattern, patternProperties } = node;
    for (const keyword of ['$dynamicRef', '$recursiveRef', '$vocabulary'])
      if (keyword in node) this.fault(path, `${keyword} is not supported`);
    if ($schema !== undefined && !(typeof $schema === 'string' && DIALECT.test($schema)))
      this.fault(path, '$schema must be JSON Schema 2020-12');
    if ($id !== undefined && path !== '') this.fault(path, 'an $id below the root is not allowed: it changes the meaning of references');
    if (typeof $anchor === 'string') this.anchors.set($anchor, node);
    if ($ref !== undefined) this.refs.push({ ref: String($ref), path: `${path}/$ref` });
    if (typeof pattern === 'string') this.expression(pattern, `${path}/pattern`);
    if (isNode(patternProperties)) for (const each of Object.keys(patternProperties)) this.expression(each, `${path}/patternProperties`);
  }

  private follow(ref: string, path: string): void {
    const shown = JSON.stringify(ref.slice(0, 200));
    const target = localTarget(this.root, ref, this.anchors);
    if (!ref.startsWith('#')) this.fault(path, `refers to ${shown}, which is outside the schema; external references are not fetched`);
    else if (!isNode(target) && typeof target !== 'boolean') this.fault(path, `refers to ${shown}, which does not exist`);
  }

  private expression(pattern: string, path: string): void {
    const known = this.expressions.get(pattern);
    const hazard = known === undefined ? regexHazard(pattern, this.budget) : known;
    this.expressions.set(pattern, hazard);
    if (hazard) this.fault(path, `the expression ${JSON.stringify(pattern.slice(0, 100))} is refused: ${hazard}`);
  }

  private fault(path: string, message: string): void {
    this.faults.push(`${path || '/'}: ${message}`);
  }
}
