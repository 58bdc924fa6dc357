import { isNode } from '@countersign/contracts';
import { DocumentFault, type OpenApiDocument, OperationFault } from '../document.js';
import type { ImportOptions, OperationOverlay } from '../import-options.js';

/** Methods of OpenAPI 3; TRACE and OPTIONS are no tools. */
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;
type Method = Uppercase<(typeof METHODS)[number]>;
/** Operations that a document may have. */
export const OPERATIONS_MAX = 20_000;

/** An operation as it stands in its document. */
export interface Operation {
  /** `GET /pets/{id}`. */
  id: string;
  operation_id: string | undefined;
  method: Method;
  path: string;
  node: Readonly<Record<string, unknown>>;
  /** The path item, for its shared parameters and servers. */
  item: Readonly<Record<string, unknown>>;
  tags: string[];
}

/** All operations of a document, in its order. @throws DocumentFault */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const { paths } = document.root;
  if (!isNode(paths)) throw new DocumentFault('the document has no paths');
  const found: Operation[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (!path.startsWith('/')) continue;
    const item = itemOf(document, value);
    for (const method of METHODS) {
      const node = item?.[method];
      if (!item || !isNode(node)) continue;
      if (found.length >= OPERATIONS_MAX) throw new DocumentFault(`the document has more than ${OPERATIONS_MAX} operations`);
      found.push(operation(method.toUpperCase() as Method, path, node, item));
    }
  }
  return found;
}

function operation(method: Method, path: string, node: Record<string, unknown>, item: Record<string, unknown>): Operation {
  const operation_id = typeof node.operationId === 'string' && node.operationId !== '' ? node.operationId.slice(0, 300) : undefined;
  const tags = Array.isArray(node.tags) ? node.tags.filter((tag): tag is string => typeof tag === 'string') : [];
  return { id: `${method} ${path}`, operation_id, method, path, node, item, tags };
}

function itemOf(document: OpenApiDocument, value: unknown): Record<string, unknown> | undefined {
  try {
    return document.object(value);
  } catch (cause) {
    if (cause instanceof OperationFault) return undefined;
    throw cause;
  }
}

/** The operation that an operator names, by operationId or by method and path. */
export function operationNamed(operations: readonly Operation[], name: string): Operation | undefined {
  return operations.find(({ operation_id, id }) => operation_id === name || id === name);
}

/** What the operator declares about an operation. */
export function overlayOf({ operations = {} }: ImportOptions, { id, operation_id }: Operation): OperationOverlay | undefined {
  const name = [operation_id, id].find((key) => key !== undefined && Object.hasOwn(operations, key));
  return name === undefined ? undefined : operations[name];
}

/** The operations that are imported. */
export function selected(operations: readonly Operation[], only: readonly string[] | undefined): Operation[] {
  if (only === undefined) return [...operations];
  const wanted = new Set(only);
  return operations.filter(
    ({ id, operation_id, tags }) =>
      wanted.has(id) || (operation_id !== undefined && wanted.has(operation_id)) || tags.some((tag) => wanted.has(`tag:${tag}`)),
  );
}

/** Names in the options that no operation has: most likely misspelt. */
export function unknownNames(operations: readonly Operation[], { only = [], operations: overlays = {} }: ImportOptions): string[] {
  const known = new Set(operations.flatMap(({ id, operation_id, tags }) => [id, operation_id, ...tags.map((tag) => `tag:${tag}`)]));
  return [...only, ...Object.keys(overlays)].filter((name) => !known.has(name));
}
