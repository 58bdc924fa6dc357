import { isNode } from '@countersign/contracts';
import type { CredentialBinding } from '../binding.js';
import { type OpenApiDocument, OperationFault } from '../document.js';
import type { ImportOptions } from '../import-options.js';
import type { Operation } from './operations.js';

const secretName = (prefix: string, scheme: string): string => `${prefix}.${scheme.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64)}`;

/** The credential of one security scheme; undefined: it is of a kind that is not supported. */
function credential(document: OpenApiDocument, name: string, prefix: string): CredentialBinding | undefined {
  const components = document.root.components;
  const schemes = isNode(components) && isNode(components.securitySchemes) ? components.securitySchemes : {};
  if (!Object.hasOwn(schemes, name)) return undefined;
  const scheme = document.object(schemes[name]);
  const secret = secretName(prefix, name);
  switch (scheme.type) {
    case 'oauth2':
    case 'openIdConnect':
      return { secret, as: 'bearer', name: '' };
    case 'http': {
      const as = String(scheme.scheme).toLowerCase();
      return as === 'bearer' || as === 'basic' ? { secret, as, name: '' } : undefined;
    }
    case 'apiKey': {
      const { in: as } = scheme;
      if (typeof scheme.name !== 'string' || !/^[\w.$[\]-]{1,100}$/.test(scheme.name)) return undefined;
      return as === 'header' || as === 'query' || as === 'cookie' ? { secret, as, name: scheme.name } : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * The credentials of an operation: of its alternatives the one that the operator chose, else the first that is supported. Their secrets
 * are named after the import, so that a document can name none of another one. @throws OperationFault if none is supported
 */
export function credentialsOf(document: OpenApiDocument, { node }: Operation, options: ImportOptions): CredentialBinding[] {
  const { name: prefix, auth, security_scheme } = options;
  if (auth) return [{ secret: secretName(prefix, auth.secret), as: auth.as, name: auth.name ?? '' }];
  const declared = node.security ?? document.root.security;
  const alternatives = (Array.isArray(declared) ? declared : []).filter(isNode).map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return [];
  const chosen = alternatives.filter((names) => security_scheme !== undefined && names.includes(security_scheme));
  const named = alternatives.filter((names) => names.length > 0);
  for (const names of [...chosen, ...named]) {
    const all = names.map((name) => credential(document, name, prefix));
    if (all.every((one) => one !== undefined)) return all;
  }
  if (alternatives.some((names) => names.length === 0)) return [];
  throw new OperationFault(`needs a kind of credential that is not supported: ${named.flat().slice(0, 5).join(', ')}`);
}
