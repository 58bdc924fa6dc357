import { isNode } from '@countersign/contracts';
import type { OpenApiDocument } from '../document.js';
import type { Operation } from './operations.js';

const isJson = (type: string): boolean => /^(application\/([^;]+\+)?json\b|\*\/\*)/i.test(type);

/** What an operation answers when it succeeds. */
export interface Responses {
  /** Source of the schema of the body; undefined: none is declared. */
  schema: unknown;
  /** Whether some successful response has no body, or none that is JSON. */
  may_lack_body: boolean;
  accept: string;
}

/** The responses of an operation with a status of 2xx. Several bodies are alternatives. @throws OperationFault */
export function responsesOf(document: OpenApiDocument, { node }: Operation): Responses {
  const declared = isNode(node.responses) ? Object.entries(node.responses) : [];
  const good = declared.filter(([status]) => /^2(\d\d|XX)$/i.test(status));
  const used = good.length > 0 ? good : declared.filter(([status]) => status === 'default');
  const schemas: unknown[] = [];
  const types = new Set<string>();
  let may_lack_body = used.length === 0;
  for (const [, value] of used) {
    const response = document.object(value);
    const content = isNode(response.content) ? response.content : {};
    for (const type of Object.keys(content)) types.add(type);
    const json = Object.keys(content).find(isJson);
    const schema = json === undefined ? undefined : document.object(content[json]).schema;
    if (schema === undefined) may_lack_body = true;
    else schemas.push(schema);
  }
  const accept = schemas.length > 0 || types.size === 0 ? 'application/json' : '*/*';
  return { schema: schemas.length > 1 ? { anyOf: schemas } : schemas[0], may_lack_body, accept };
}
