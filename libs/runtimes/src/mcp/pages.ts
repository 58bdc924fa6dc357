import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type ReadTool, readTool, withoutTwins } from './listed-tools.js';
import type { ListedTool, RefusedTool } from './upstream.js';

const TOOLS_MAX = 1000;
const PAGES_MAX = 100;
const CURSOR_CHARS_MAX = 4096;

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().max(CURSOR_CHARS_MAX).optional() });

/** A listing exceeds what the platform takes. */
export class ListingTooLarge extends Error {}

/** All pages of a server's list of tools. @throws ListingTooLarge, or what the library throws */
export async function listedPages(
  client: Client,
  options: { signal: AbortSignal; timeout: number },
): Promise<{ tools: ListedTool[]; refused: RefusedTool[] }> {
  const read: ReadTool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let count = 1; ; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, page, options);
    if (read.length + tools.length > TOOLS_MAX) throw new ListingTooLarge(`the server lists more than ${TOOLS_MAX} tools`);
    for (const tool of tools) {
      read.push(readTool(tool));
      // A page may have 8 MB: other work has its turn between its tools.
      await turn();
    }
    if (nextCursor === undefined) return withoutTwins(read);
    if (seen.has(nextCursor)) throw new ListingTooLarge('the list of the server has no end: it repeats a cursor');
    if (count >= PAGES_MAX) throw new ListingTooLarge(`the list of the server has more than ${PAGES_MAX} pages`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}
