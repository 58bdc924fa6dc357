import { type RunContext, ToolError } from '@countersign/tool-kit';
import { type Corpus, defineSearch } from '@countersign/tool-kit/patterns/search';
import { z } from 'zod';
import { listRecords, readRecord } from '../records.js';

/** `corpora/<name>/corpus.json`; the documents are the `.md` and `.txt` files beside it. */
const manifest = z.strictObject({ markings: z.array(z.string()) });

/** Searches the documents of a corpus and returns passages with their positions. */
export const searchCorpus = defineSearch({
  name: 'search_corpus',
  version: '1.0.0',
  title: 'Search a corpus',
  description: 'Finds the passages of a named corpus of documents (for example handbook) that match a query best, with their exact places.',
  category: 'search',
  capabilities: ['search', 'retrieval'],
  max_output_bytes: 512 * 1024,
  open: async (corpus, ctx): Promise<Corpus> => {
    const names = (await listRecords(ctx, 'corpora', corpus)) ?? [];
    if (!names.includes('corpus.json'))
      throw new ToolError('VALIDATION_ERROR', `corpus ${corpus} does not exist`, { class: 'not_found', effect: 'none' });
    const { markings } = parsed(manifest, await readCorpusFile(ctx, corpus, 'corpus.json'), `the corpus ${corpus}`);
    const documents: { source_id: string; content: string }[] = [];
    for (const name of names.filter((each) => /\.(md|txt)$/.test(each))) {
      documents.push({ source_id: `${corpus}/${name}`, content: await readCorpusFile(ctx, corpus, name) });
    }
    return { markings, documents };
  },
});

async function readCorpusFile(ctx: RunContext, corpus: string, name: string): Promise<string> {
  const text = await readRecord(ctx, 'corpora', corpus, name);
  if (text === undefined) throw new ToolError('PROVIDER_ERROR', `${corpus}/${name} was deleted during the search`, { effect: 'none' });
  return text;
}

function parsed<T>(shape: z.ZodType<T>, text: string, what: string): T {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new ToolError('PROVIDER_ERROR', `${what} is damaged`, { effect: 'none' });
  }
}
