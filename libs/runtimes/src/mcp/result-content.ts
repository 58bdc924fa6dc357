import { type RunContext, ToolError } from '@countersign/tool-kit';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { UpstreamContent, UpstreamOutput } from './upstream.js';

/** Parts of a result, and characters of its error that are shown. */
const PARTS_MAX = 1000;
const ERROR_CHARS_MAX = 1500;

/** A server must give a type; attachments are served inert, whatever it says. */
const contentType = (given: string | undefined): string =>
  (/^[\w.+-]+\/[\w.+-]+/.exec(given ?? '')?.[0] ?? 'application/octet-stream').toLowerCase();

async function attached(
  run: Pick<RunContext, 'attach'>,
  { base64, type, uri = null }: { base64: string; type: string | undefined; uri?: string | null },
): Promise<UpstreamContent> {
  const content_type = contentType(type);
  const kind = content_type.startsWith('image/') ? 'image' : 'blob';
  const { url, bytes } = await run.attach({ kind, content_type, data: Buffer.from(base64, 'base64') });
  return { type: 'attachment', content_type, url, bytes, uri };
}

async function contentOf(part: ContentBlock, run: Pick<RunContext, 'attach'>): Promise<UpstreamContent> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
    case 'audio':
      return attached(run, { base64: part.data, type: part.mimeType });
    case 'resource_link':
      return { type: 'link', uri: part.uri, name: part.name, description: part.description ?? null };
    case 'resource': {
      const { resource } = part;
      if (!('text' in resource)) return attached(run, { base64: resource.blob, type: resource.mimeType, uri: resource.uri });
      return { type: 'resource', uri: resource.uri, content_type: resource.mimeType ?? null, text: resource.text };
    }
  }
}

/**
 * The output of a call from the result of its server. A result that says it is an error is one: what it changed is unknown.
 * @throws ToolError
 */
export async function outputOf(result: CallToolResult, run: Pick<RunContext, 'attach'>): Promise<UpstreamOutput> {
  const { content = [], structuredContent } = result;
  if (result.isError === true) throw new ToolError('PROVIDER_ERROR', errorText(content), { class: 'semantic', retryable: false });
  if (content.length > PARTS_MAX)
    throw new ToolError('PROVIDER_ERROR', `the upstream returned more than ${PARTS_MAX} parts`, { retryable: false });
  const parts: UpstreamContent[] = [];
  for (const part of content) parts.push(await contentOf(part, run));
  return { content: parts, structured: structuredContent ?? null };
}

function errorText(content: readonly ContentBlock[]): string {
  const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
  return `the upstream's tool failed: ${text === '' ? 'it gives no reason' : text}`.slice(0, ERROR_CHARS_MAX);
}
