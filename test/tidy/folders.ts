import path from 'node:path/posix';
import ts from 'typescript6';
import { importsOf } from './imports.js';
import { type Fault, faultAt, isSpec, nodesOf, type SourceText } from './source.js';

/** A folder below src, or the file itself where it stands in src or lists its folder (index.ts). */
function folderOf(file: string): string {
  const folder = path.dirname(file);
  return folder.endsWith('/src') || path.basename(file) === 'index.ts' ? file : folder;
}

const isChecked = ({ path: file }: SourceText): boolean =>
  /^(apps|libs|packs)\/[^/]+\/src\//.test(file) && !isSpec(file) && !/\/testing\/|\.suite\.ts$/.test(file);

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

/** Folders that import each other, directly or by way of others, types included: one fault for each way round. */
export function folderCircles(sources: readonly SourceText[]): Fault[] {
  const arrows = arrowsOf(sources);
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

/** Where a feature of the gateway meets HTTP. */
const HTTP_EDGE = /\.(controller|module|service|queries|schemas?|decorator|guard|pipe|filter|interceptor)\.ts$/;
const HTTP_TYPES = /^(fastify|@fastify\/|@nestjs\/|node:https?2?$|undici$)/;
/** What decides in the gateway, and what HTTP is thin over. */
const WITHOUT_HTTP =
  /^(libs\/calls|apps\/gateway\/src\/(authentication|identity|policies|personal-data|configuration|requests|approvals|usage|trust|runs|counterfactual|limits|facts|mappings|secrets|webhooks))\//;

/** Calls, and what decides beside them, know no HTTP: neither its types nor the folder that is its face. */
export function httpInside(source: SourceText): Fault[] {
  if (!WITHOUT_HTTP.test(source.path) || HTTP_EDGE.test(source.path) || isSpec(source.path) || source.path.includes('/testing/')) return [];
  return importsOf(source)
    .filter(({ specifier }) => HTTP_TYPES.test(specifier) || /^\.\.\/http\//.test(specifier))
    .map(({ specifier, node }) =>
      faultAt(source, node, `${specifier} belongs in apps/gateway/src/http: pass plain values, return a Refusal`),
    );
}

export const BAG_FIELDS_MAX = 6;
const BAG_NAMES = /(Parts|Deps|Dependencies|Services|Terms)$/;

/** Bags of dependencies by name, with their number of fields. */
export type Bags = ReadonlyMap<string, number>;

export const bagsAmong = (sources: readonly SourceText[]): Bags => new Map(sources.flatMap(bagsOf));

function bagsOf(source: SourceText): [name: string, fields: number][] {
  return [...nodesOf(source)]
    .filter((node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && BAG_NAMES.test(node.name.text))
    .map((node) => [node.name.text, node.members.length]);
}

/** Constructors that take more than a handful of dependencies in one object, whether it is written out or declared in another file. */
export function largeBags(source: SourceText, elsewhere: Bags): Fault[] {
  if (isSpec(source.path) || source.path.includes('/testing/')) return [];
  const shapes = new Map([...elsewhere, ...bagsOf(source)]);
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

function fieldsOf(type: ts.TypeNode, shapes: Bags): number | undefined {
  if (ts.isTypeLiteralNode(type)) return type.members.length;
  if (!ts.isTypeReferenceNode(type)) return undefined;
  const [of, names] = type.typeArguments ?? [];
  if (type.typeName.getText() === 'Pick' && of && shapes.has(of.getText()))
    return names && ts.isUnionTypeNode(names) ? names.types.length : 1;
  return shapes.get(type.typeName.getText());
}
