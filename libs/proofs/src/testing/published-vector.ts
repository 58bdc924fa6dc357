import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordProof, RecordToCover } from '@countersign/verifier';

/** A record with its proof and keys, as docs/reference/proofs.md publishes them. */
export interface PublishedVector {
  vkey: string;
  witness: string;
  record: Omit<RecordToCover, 'value'> & { value: string };
  /** Hash of the record's leaf, hex. */
  leaf: string;
  proof: RecordProof;
}

const PAGE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../../docs/reference/proofs.md');
const BLOCK = /<!-- vector (\w+) -->\n\n```json\n([\s\S]+?)```/g;

/** The vectors of a page by name: each JSON block below a comment `vector <name>`. */
export function vectorsOf(page: string): Map<string, unknown> {
  return new Map([...page.matchAll(BLOCK)].map(([, name, text]) => [name as string, JSON.parse(text as string)]));
}

/** The page with these vectors in the place of its own; others stay. */
export function withVectors(page: string, vectors: Readonly<Record<string, unknown>>): string {
  return page.replace(BLOCK, (block, name: string) =>
    Object.hasOwn(vectors, name) ? `<!-- vector ${name} -->\n\n\`\`\`json\n${compactJson(vectors[name])}\n\`\`\`` : block,
  );
}

/** JSON in which what fits on one line stands on one. */
function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || line.length + indent.length <= 160) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => compactJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${compactJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`;
}

export const publishedPage = (): string => readFileSync(PAGE, 'utf8');

/** The proven record of docs/reference/proofs.md. */
export const publishedVector = (): PublishedVector => vectorsOf(publishedPage()).get('proof') as PublishedVector;
