import { callError } from '@countersign/contracts';
import type { ReconcileAnswer } from '@countersign/domain';
import { reasonOf } from '@countersign/runtimes';
import type { CallMapping } from '../calls/call-mapping.js';
import { searched } from './injection-flags.js';
import type { LoadedTool } from './loaded-tool.js';
import { recorded } from './recorded-result.js';

/**
 * The answer of a reconcile, ready to record. An unknown kind counts as a failure and is retried. @throws what its getters or the mapping
 * throw
 */
export async function reconcileAnswer(loaded: LoadedTool, mapping: CallMapping | undefined, returned: unknown): Promise<ReconcileAnswer> {
  const answer = Object(returned) as { kind?: unknown; output?: unknown; why?: unknown };
  switch (answer.kind) {
    case 'did_not_happen':
      return { kind: 'did_not_happen' };
    case 'cannot_tell':
      return { kind: 'cannot_tell', why: reasonOf(answer.why) };
    case 'happened':
      return happened(loaded, mapping ? await mapping.result(answer.output) : answer.output);
    default:
      return { kind: 'failed', error: callError('PROVIDER_ERROR', 'the reconcile returned an unknown kind of answer') };
  }
}

function happened(loaded: LoadedTool, output: unknown): ReconcileAnswer {
  const seen = recorded(loaded, output);
  if (seen.kind === 'output') {
    const { output_json, truncated } = seen;
    const { warnings, flags } = searched(loaded, output);
    return { kind: 'happened', output_json, truncated, warnings: [...seen.warnings, ...warnings], flags };
  }
  const warnings = ['the effect happened; the output that reconcile returned does not match the schema and was omitted'];
  return { kind: 'happened', output_json: 'null', truncated: false, warnings };
}
