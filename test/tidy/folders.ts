import path from 'node:path/posix';
import ts from 'typescript6';
import { importsOf, roomOf } from './imports.js';
import { type Fault, faultAt, isSpec, nodesOf, type SourceText } from './source.js';

/** Rooms that are being rewritten: each leaves this list when its folders import one way. It never grows. */
const REWRITTEN = new Set(['apps/executor']);

/** Arrows that close a ring and are to be turned. The list only shrinks: tidy.spec refuses one that is gone. */
export const ARROWS_TO_TURN: readonly string[] = [
  'apps/policy/src/partitions -> apps/policy/src/rulings',
  'libs/domain/src/configuration/kinds -> libs/domain/src/configuration',
  'libs/domain/src/compatibility -> libs/domain/src/configuration',
  'libs/domain/src/registry -> libs/domain/src/configuration',
];

/** Files whose bag is to be split. The list only shrinks, as above. */
export const BAGS_TO_SPLIT: readonly string[] = [
  'apps/gateway/src/notices/notice-sender.ts',
  'apps/gateway/src/usage/period-closer.ts',
  'apps/projector/src/audit/checkpoint-writer.ts',
  'libs/event-log/src/embedded/embedded-event-log.ts',
];

/** A folder below src, or the file itself where it stands in src or lists its folder (index.ts). */
function folderOf(file: string): string {
  const folder = path.dirname(file);
  return folder.endsWith('/src') || path.basename(file) === 'index.ts' ? file : folder;
}

const isChecked = ({ path: file }: SourceText): boolean =>
  /^(apps|libs|packs)\/[^/]+\/src\//.test(file) && !isSpec(file) && !/\/testing\/|\.suite\.ts$/.test(file) && !REWRITTEN.has(roomOf(file));

type Arrows = Map<string, Map<string, SourceText>>;

/** Which folder imports which, types included, and one file that does. */
function arrowsOf(sources: readonly SourceText[]): Arrows {
  const arrows: Arrows = new Map();
  for (const source of sources.filter(isChecked)) {
    const from = folderOf(source.path);
    for (const { specifier } of importsOf(source)) {
      if (!specifier.startsWith('.')) continue;
      const to = folderOf(path.join(path.dirname(source.path), specifier).replace(/\.js$/, '.ts'));
      if (to === from) continue;
      const known = arrows.get(from) ?? new Map<string, SourceText>();
      if (!known.has(to)) known.set(to, source);
      arrows.set(from, known);
    }
  }
  return arrows;
}

/** Arrows of the list that are not in the code any more: take them off the list. */
export function turnedArrows(sources: readonly SourceText[]): string[] {
  const arrows = arrowsOf(sources);
  return ARROWS_TO_TURN.filter((arrow) => {
    const [from, to] = arrow.split(' -> ') as [string, string];
    return !arrows.get(from)?.has(to);
  });
}

/** Folders that import each other, directly or by way of others, types included: one fault for each way round. */
export function folderCircles(sources: readonly SourceText[]): Fault[] {
  const arrows = arrowsOf(sources);
  for (const arrow of ARROWS_TO_TURN) {
    const [from, to] = arrow.split(' -> ') as [string, string];
    arrows.get(from)?.delete(to);
  }
  const done = new Set<string>();
  const trail: string[] = [];
  const faults: Fault[] = [];
  const visit = (folder: string): void => {
    const at = trail.indexOf(folder);
    if (at >= 0) {
      const ring = [...trail.slice(at), folder];
      const by = arrows.get(trail.at(-1) as string)?.get(folder) as SourceText;
      faults.push({ path: by.path, line: 1, message: `folders import each other: ${ring.join(' -> ')}; move what both need into a third` });
      return;
    }
    if (done.has(folder)) return;
    trail.push(folder);
    for (const to of arrows.get(folder)?.keys() ?? []) visit(to);
    trail.pop();
    done.add(folder);
  };
  for (const folder of arrows.keys()) visit(folder);
  return faults;
}

const HTTP_TYPES = /^(fastify|@fastify\/|@nestjs\/|node:https?2?$|undici$)/;
/** What decides in the gateway, and what HTTP is thin over. */
const WITHOUT_HTTP =
  /^(libs\/calls|apps\/gateway\/src\/(identity|policies|personal|configuration|requests|votes|usage|trust|runs|counterfactual))\//;

/** Of a feature of the gateway: what speaks HTTP. */
const FEATURE_FACE = /^apps\/gateway\/src\/[\w-]+\/[\w-]+\.(module|controller|service|schemas?)\.ts$/;

/** Calls, and what decides beside them, know no HTTP: neither its types nor the folder that is its face. */
export function httpInside(source: SourceText): Fault[] {
  const isFace = FEATURE_FACE.test(source.path);
  if (!WITHOUT_HTTP.test(source.path) || isFace || isSpec(source.path) || source.path.includes('/testing/')) return [];
  return importsOf(source)
    .filter(({ specifier }) => HTTP_TYPES.test(specifier) || /^\.\.\/http\//.test(specifier))
    .map(({ specifier, node }) =>
      faultAt(source, node, `${specifier} belongs in apps/gateway/src/http: pass plain values, return a Refusal`),
    );
}

export const BAG_FIELDS_MAX = 6;

/** Parameters of a constructor that are written out as an object of dependencies. */
export function largeBags(source: SourceText): Fault[] {
  if (isSpec(source.path) || REWRITTEN.has(roomOf(source.path))) return [];
  const shapes = new Map<string, number>();
  for (const node of nodesOf(source)) if (ts.isInterfaceDeclaration(node)) shapes.set(node.name.text, node.members.length);
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isConstructorDeclaration(node)) continue;
    for (const { type } of node.parameters) {
      const fields = type && fieldsOf(type, shapes);
      if (fields !== undefined && fields > BAG_FIELDS_MAX)
        faults.push(faultAt(source, node, `a bag of ${fields} dependencies: at most ${BAG_FIELDS_MAX}; the class has several jobs`));
    }
  }
  return faults;
}

function fieldsOf(type: ts.TypeNode, shapes: ReadonlyMap<string, number>): number | undefined {
  if (ts.isTypeLiteralNode(type)) return type.members.length;
  return ts.isTypeReferenceNode(type) && /(Parts|Deps|Terms)$/.test(type.typeName.getText())
    ? shapes.get(type.typeName.getText())
    : undefined;
}
