import type { ToolContract } from '@countersign/contracts';
import type { ToolBinding } from '../binding.js';
import { type CompiledTool, compileDocument, type SkippedOperation } from '../compile-document.js';
import { importOptions } from '../import-options.js';

/** A document around some paths and components. */
export const documentOf = (paths: object, more: object = {}, openapi = '3.0.3') =>
  JSON.stringify({ openapi, info: { title: 'Shop', version: '1' }, servers: [{ url: 'https://api.example.com/v1' }], paths, ...more });

/** An operation that takes this schema as its body, or answers it. */
export const bodyOf = (schema: unknown) => ({ content: { 'application/json': { schema } } });
export const taking = (schema: unknown) => ({
  requestBody: { required: true, ...bodyOf(schema) },
  responses: { 204: { description: 'done' } },
});
export const answering = (schema: unknown) => ({ responses: { 200: { description: 'it', ...bodyOf(schema) } } });

export interface Compiled {
  tools: (CompiledTool & { contract: ToolContract; binding: ToolBinding })[];
  skipped: SkippedOperation[];
  /** The only tool. @throws Error with why there is none */
  only(): { contract: ToolContract; binding: ToolBinding; warnings: string[] };
}

/** Compiles a document in the calling thread. */
export function compiled(text: string, options: object = {}, document_url?: string): Compiled {
  const tools: Compiled['tools'] = [];
  const skipped: SkippedOperation[] = [];
  for (const one of compileDocument({ text, options: importOptions.parse({ name: 'shop', ...options }), document_url })) {
    if ('reason' in one) skipped.push(one);
    else if ('contract_json' in one)
      tools.push({ ...one, contract: JSON.parse(one.contract_json) as ToolContract, binding: JSON.parse(one.binding_json) as ToolBinding });
  }
  const only = () => {
    const [tool] = tools;
    if (!tool || tools.length > 1) throw new Error(JSON.stringify({ skipped, tools: tools.length }));
    return tool;
  };
  return { tools, skipped, only };
}
