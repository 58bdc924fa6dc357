import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Refusal } from '@countersign/calls';
import { LRUCache } from 'lru-cache';
import { Marked, type MarkedExtension } from 'marked';
import { htmlPage } from './html-page.js';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
/** Page names contain no dots except before the extension, so no path leaves the folder. */
const PAGE = /^[\w-]+(\/[\w-]+)?$/;
const PAGES_MAX = 200;

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/** Target of a link in the file `from`: another page, or undefined if it leaves `docs/`. */
function linked(from: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const place = path.posix.join(path.posix.dirname(from), target);
  if (place.startsWith('..')) return undefined;
  const page = place.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
  return `/docs${page === '' || page === '.' ? '' : `/${page}`}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Renders the Markdown of the file `from` as HTML: GitHub's heading anchors, links to pages. Yields to other requests between sections. */
async function rendered(from: string, markdown: string): Promise<string> {
  const extension: MarkedExtension = {
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = linked(from, href);
        const inner = this.parser.parseInline(tokens);
        return target === undefined ? inner : `<a href="${target}">${inner}</a>`;
      },
    },
  };
  const marked = new Marked(extension);
  const sections: string[] = [];
  for (const section of sectionsOf(markdown)) {
    sections.push(marked.parse(section, { async: false }));
    await setImmediate();
  }
  return sections.join('');
}

/** Splits the text before each heading. A line of a code block is no heading. */
export function sectionsOf(markdown: string): string[] {
  let fenced = false;
  const sections: string[][] = [[]];
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    if (!fenced && /^##+ /.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.map((lines) => `${lines.join('\n')}\n`);
}

/** Drawings, and screenshots of the console. */
const IMAGE_TYPES = { svg: 'image/svg+xml', webp: 'image/webp' } as const;

export interface DocsImage {
  content_type: string;
  bytes: Buffer;
}

/** The Markdown pages of `docs/` as HTML. Each page is read once. */
export class DocsPages {
  private readonly pages = new LRUCache<string, string>({ max: PAGES_MAX });

  /** `name`: the path below `docs/` without its extension; empty for the index. */
  async page(name: string): Promise<string | Refusal> {
    const known = this.pages.get(name);
    if (known !== undefined) return known;
    const found = await this.markdown(name);
    if (found === undefined)
      return new Refusal('not-found', 'the documentation page does not exist; /docs lists all pages', { reason: 'page_not_found' });
    const title = /^# (.+)$/m.exec(found.text)?.[1] ?? 'Documentation';
    const page = htmlPage(title, await rendered(found.file, found.text));
    this.pages.set(name, page);
    return page;
  }

  /** An image of `docs/images`. */
  async image(name: string): Promise<DocsImage | Refusal> {
    const extension = /^[\w-]+\.(svg|webp)$/.exec(name)?.[1] as keyof typeof IMAGE_TYPES | undefined;
    const bytes = extension && (await readFile(path.join(DOCS, 'images', name)).catch(() => undefined));
    if (!bytes) return new Refusal('not-found', 'the documentation image does not exist', { reason: 'page_not_found' });
    return { content_type: IMAGE_TYPES[extension], bytes };
  }

  private async markdown(name: string): Promise<{ file: string; text: string } | undefined> {
    if (name !== '' && !PAGE.test(name)) return undefined;
    const files = name === '' ? ['README.md'] : [`${name}.md`, `${name}/README.md`];
    for (const file of files) {
      const text = await readFile(path.join(DOCS, file), 'utf8').catch(() => undefined);
      if (text !== undefined) return { file, text };
    }
    return undefined;
  }
}
