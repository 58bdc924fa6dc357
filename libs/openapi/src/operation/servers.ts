import { isNode } from '@countersign/contracts';
import { DocumentFault, OperationFault } from '../document.js';
import type { ImportOptions } from '../import-options.js';
import type { Operation } from './operations.js';

const VARIABLE = /\{([^{}]{1,100})\}/g;

/** The address of a server with its variables filled in. @throws Error with what is wrong */
function addressOf(server: unknown, values: Readonly<Record<string, string>>, from: string | undefined): string {
  if (!isNode(server) || typeof server.url !== 'string') throw new Error('a server has no url');
  const variables = isNode(server.variables) ? server.variables : {};
  const url = server.url.slice(0, 2000).replace(VARIABLE, (_whole, name: string) => {
    const declared = isNode(variables[name]) ? variables[name] : {};
    const value = Object.hasOwn(values, name) ? values[name] : declared.default;
    if (typeof value !== 'string') throw new Error(`the server variable ${JSON.stringify(name)} has no value: set server_variables`);
    if (Array.isArray(declared.enum) && !declared.enum.includes(value))
      throw new Error(`the server variable ${JSON.stringify(name)} must be one of ${declared.enum.slice(0, 20).join(', ')}`);
    return value;
  });
  if (!URL.canParse(url, from)) throw new Error(`${JSON.stringify(url.slice(0, 200))} is no absolute address: set base_url`);
  return trimmed(new URL(url, from));
}

/** Without query, fragment and a slash at the end. */
function trimmed(url: URL): string {
  if (url.username !== '' || url.password !== '') throw new Error('the address of a server must not contain credentials');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The address that all operations of an import are requested at. @throws DocumentFault */
export function baseUrl(root: Readonly<Record<string, unknown>>, options: ImportOptions, document_url: string | undefined): string {
  const { base_url, server_variables = {} } = options;
  const [server] =
    base_url === undefined ? (Array.isArray(root.servers) && root.servers.length > 0 ? root.servers : [{ url: '/' }]) : [{ url: base_url }];
  try {
    return addressOf(server, server_variables, base_url === undefined ? document_url : undefined);
  } catch (cause) {
    throw new DocumentFault((cause as Error).message);
  }
}

/**
 * The address of one operation. A server of its own counts only on the host of the import: secrets of the import must not reach a host
 * that only a line of the document names. @throws OperationFault
 */
export function operationUrl({ node, item, path }: Operation, base: string, options: ImportOptions): string {
  const own = [node.servers, item.servers].find((servers) => Array.isArray(servers) && servers.length > 0);
  if (own === undefined || options.base_url !== undefined) return base + path;
  let address: string;
  try {
    address = addressOf((own as unknown[])[0], options.server_variables ?? {}, `${base}/`);
  } catch (cause) {
    throw new OperationFault((cause as Error).message);
  }
  if (new URL(address).origin !== new URL(base).origin)
    throw new OperationFault(`is at another server (${new URL(address).origin}): import it under another name with base_url`);
  return address + path;
}
