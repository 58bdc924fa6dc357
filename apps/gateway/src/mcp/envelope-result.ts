import { isRecord } from '@countersign/mapping/pointer';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Problem, problemDocument } from '../http/problem.js';
import { META, OCCURRENCE_ARGUMENT } from './meta-keys.js';

/** The members of an envelope that a result is made of (`Envelope` of /openapi.json). */
interface Envelope {
  call_id: string;
  status: string;
  output: unknown;
  inputs?: unknown;
  input?: unknown;
  mapped_input?: unknown;
  error: { code: string; message: string } | null;
  approval: { approval_id: string; approver_roles: readonly string[]; expires_at: string | null } | null;
  warnings: readonly string[];
}

const PENDING: readonly string[] = ['pending_policy', 'pending_approval', 'running'];

const textBlock = (text: string) => ({ type: 'text' as const, text });

/** The envelope without the inputs, which the client knows, and the output, which is the content. */
function metaOf({ output: _output, inputs: _inputs, input: _input, mapped_input: _mapped, ...rest }: Envelope): Record<string, unknown> {
  return { [META.call]: rest };
}

/** Envelopes name the members of HTTP; an MCP client has an argument instead. */
const inWordsOfMcp = (warning: string): string => warning.replaceAll('`occurrence`', `the argument \`${OCCURRENCE_ARGUMENT}\``);

function notes({ warnings }: Envelope): ReturnType<typeof textBlock>[] {
  return warnings.map((warning) => textBlock(`Note of Countersign: ${inWordsOfMcp(warning)}`));
}

function outputBlock(output: unknown): ReturnType<typeof textBlock> {
  return textBlock(typeof output === 'string' ? output : JSON.stringify(output));
}

function pendingText({ call_id, status, approval }: Envelope): string {
  const waits =
    status === 'pending_approval' && approval
      ? `It waits for an approval by ${approval.approver_roles.join(', ') || 'an approver'}${approval.expires_at ? ` until ${approval.expires_at}` : ''}.`
      : 'It has not ended.';
  return `The call ${call_id} is recorded. ${waits} Call the tool get_call with {"call_id":"${call_id}"} to wait for its result. An equal call joins this one; it does not run twice.`;
}

/** The result of a tool call from its envelope. What the model must know stands in the text: many clients show it nothing else. */
export function resultOfEnvelope(text: string): CallToolResult {
  const envelope = JSON.parse(text) as Envelope;
  const { status, output, error } = envelope;
  const _meta = metaOf(envelope);
  if (PENDING.includes(status)) return { content: [textBlock(pendingText(envelope)), ...notes(envelope)], isError: false, _meta };
  if (error) {
    const said = `${error.code} (${status}): ${error.message}`;
    return { content: [textBlock(said), ...notes(envelope)], isError: true, _meta };
  }
  const structured = isRecord(output) ? { structuredContent: output } : {};
  return { content: [outputBlock(output), ...notes(envelope)], ...structured, isError: false, _meta };
}

/** The result of a request that was refused: the members of the problem document that HTTP would answer. */
export function resultOfRefusal(problem: Problem): CallToolResult {
  const { type: _type, instance: _instance, ...document } = problemDocument(problem, '');
  return { content: [textBlock(`${String(document.code)}: ${problem.detail}`)], isError: true, _meta: { [META.call]: document } };
}
