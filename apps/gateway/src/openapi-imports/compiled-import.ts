import { Refusal } from '@countersign/calls';
import type { ToolContract } from '@countersign/contracts';
import {
  type CompiledDocument,
  type CompiledTool,
  type CompileJob,
  compileInThread,
  DocumentFault,
  reconcileEnvironment,
  type SkippedOperation,
  type ToolBinding,
} from '@countersign/openapi';
import { compileReconcileMatch } from '@countersign/policy';

/** A document with its tools, compiled in a thread. */
export interface CompiledImport {
  document: CompiledDocument;
  tools: CompiledTool[];
  skipped: SkippedOperation[];
}

/** Compiles a document. A refusal says why it cannot be used; operations that are no tools are in the result, with the reason. */
export async function compiledImport(job: CompileJob): Promise<CompiledImport | Refusal> {
  const tools: CompiledTool[] = [];
  const skipped: SkippedOperation[] = [];
  let document: CompiledDocument | undefined;
  try {
    for await (const part of compileInThread(job)) {
      document ??= part.document;
      skipped.push(...part.skipped);
      for (const tool of part.tools) {
        const reason = matchFault(tool);
        if (reason === undefined) tools.push(tool);
        else skipped.push({ operation: tool.operation, reason });
      }
    }
  } catch (cause) {
    if (!(cause instanceof DocumentFault)) throw cause;
    return new Refusal('invalid-request', cause.message, { issues: [{ path: '/document', code: 'document', message: cause.message }] });
  }
  return document ? { document, tools, skipped } : new Refusal('invalid-request', 'the document cannot be read');
}

/** Why the expression of a reconcile cannot be used. */
function matchFault({ binding_json, contract_json }: CompiledTool): string | undefined {
  if (!binding_json.includes('"reconcile":')) return undefined;
  const binding = JSON.parse(binding_json) as ToolBinding;
  if (!binding.reconcile) return undefined;
  const known = reconcileEnvironment(JSON.parse(contract_json) as ToolContract, binding);
  const program = compileReconcileMatch(binding.reconcile.matches, known);
  return 'fault' in program ? `the match of its reconcile is refused: ${program.fault.reason}` : undefined;
}
