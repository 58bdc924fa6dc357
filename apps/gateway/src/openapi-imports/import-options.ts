import { type OpenApiImports } from '@countersign/domain';
import { type ImportOptions, importOptions } from '@countersign/openapi';
import type { ImportRequest } from './openapi-imports.schemas.js';

/** The options of a request without its document. What it leaves out is as in the import before it. */
export function optionsOf(
  { document: _text, document_gzip: _gzip, url: _url, ...given }: ImportRequest,
  { imports }: OpenApiImports,
): ImportOptions {
  const known = imports.get(given.name);
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const before = known ? (JSON.parse(known.options_json) as object) : {};
  const { only, ...options } = importOptions.parse({ ...before, ...present });
  return only === undefined || only.length === 0 ? options : { ...options, only };
}
