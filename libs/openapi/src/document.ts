import { isNode } from '@countersign/contracts';

/** A document cannot be used at all. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** One operation cannot become a tool; the others still can. */
export class OperationFault extends Error {
  override readonly name = 'OperationFault';
}

const REFS_MAX = 32;
const LOCAL = /^#(\/|$)/;
const shown = (text: string): string => JSON.stringify(text.slice(0, 200));

/** A parsed document of OpenAPI 3.0 or 3.1. References are followed one at a time; the document is never dereferenced as a whole. */
export class OpenApiDocument {
  readonly version: '3.0' | '3.1';
  private readonly resolved = new Map<string, unknown>();

  /** @throws DocumentFault if it is no such document */
  constructor(readonly root: Readonly<Record<string, unknown>>) {
    const { openapi, swagger, jsonSchemaDialect } = root;
    if (swagger !== undefined) throw new DocumentFault('the document is Swagger 2.0: convert it to OpenAPI 3.0 or 3.1 first');
    const minor = typeof openapi === 'string' ? /^3\.([01])\.\d+$/.exec(openapi)?.[1] : undefined;
    if (minor === undefined) throw new DocumentFault(`"openapi" must be 3.0.x or 3.1.x, not ${shown(String(openapi))}`);
    if (jsonSchemaDialect !== undefined && !String(jsonSchemaDialect).startsWith('https://spec.openapis.org/oas/3.1/dialect'))
      throw new DocumentFault(`the schema dialect ${shown(String(jsonSchemaDialect))} is not supported`);
    this.version = minor === '0' ? '3.0' : '3.1';
  }

  /** The value at a reference in this document. @throws OperationFault that names the reference, if it is external or leads nowhere */
  at(ref: string): unknown {
    if (this.resolved.has(ref)) return this.resolved.get(ref);
    if (!LOCAL.test(ref)) throw new OperationFault(`refers to ${shown(ref)}, which is outside the document: bundle the document first`);
    const value = this.walk(ref);
    if (value === undefined) throw new OperationFault(`refers to ${shown(ref)}, which does not exist`);
    this.resolved.set(ref, value);
    return value;
  }

  /** The object behind any references. @throws OperationFault */
  object(value: unknown): Record<string, unknown> {
    let at = value;
    for (let count = 0; count < REFS_MAX; count++) {
      if (!isNode(at)) throw new OperationFault('holds a value where an object is required');
      if (typeof at.$ref !== 'string') return at;
      at = this.at(at.$ref);
    }
    throw new OperationFault('has references that lead only to references');
  }

  private walk(ref: string): unknown {
    let at: unknown = this.root;
    for (const step of decoded(ref.slice(1)).split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
      at = (at as Record<string, unknown>)[name];
    }
    return at;
  }
}

/** A fragment is percent-encoded. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
