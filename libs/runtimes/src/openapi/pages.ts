import { valueAt } from '@countersign/contracts';
import type { OperationBinding, OperationOutput, PagesBinding } from '@countersign/openapi';

type Next = NonNullable<OperationOutput['next_page']>;
const VALUE_CHARS_MAX = 2_000;

/** The items of a page; undefined: the body has no list where the document says. */
export function itemsOf({ items }: PagesBinding, body: unknown): unknown[] | undefined {
  if (items === undefined) return undefined;
  const list = valueAt(body, items);
  return Array.isArray(list) ? list : undefined;
}

/** What to pass for the next page; undefined: this is the last one, or nothing shows another. */
export function nextPage(
  { pages, parameters }: OperationBinding,
  body: unknown,
  link: string | undefined,
  inputs: Readonly<Record<string, unknown>>,
): Next | undefined {
  if (!pages) return undefined;
  const { input } = pages;
  if (pages.kind === 'link') {
    const name = parameters.find((one) => one.input === input)?.name;
    const value = name === undefined ? undefined : linked(link, name);
    return value === undefined ? undefined : { input, value: typed(value) };
  }
  if (pages.more !== undefined && valueAt(body, pages.more) !== true) return undefined;
  const value = pages.kind === 'cursor' ? cursorIn(pages, body) : counted(pages, body, inputs[input]);
  return value === undefined ? undefined : { input, value };
}

function cursorIn(pages: PagesBinding, body: unknown): string | number | undefined {
  const last = pages.after === undefined ? undefined : itemsOf(pages, body)?.at(-1);
  const value = pages.next === undefined ? valueAt(last, pages.after ?? '') : valueAt(body, pages.next);
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value !== '' && value.length <= VALUE_CHARS_MAX ? value : undefined;
}

/** An empty page is the last one. */
function counted(pages: PagesBinding, body: unknown, current: unknown): number | undefined {
  const count = itemsOf(pages, body)?.length ?? 0;
  if (count === 0) return undefined;
  const at = typeof current === 'number' ? current : pages.kind === 'page' ? 1 : 0;
  return pages.kind === 'page' ? at + 1 : at + count;
}

/** The value of a parameter in the address of `rel="next"` (RFC 8288). Only the value is used, never the address. */
function linked(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').slice(0, 16_384).split(/,\s*(?=<)/)) {
    const [, address, parameters = ''] = /^\s*<([^<>]*)>(.*)$/.exec(part) ?? [];
    if (address === undefined || !/;\s*rel\s*=\s*"?next"?/i.test(parameters) || !URL.canParse(address, 'https://relative.invalid'))
      continue;
    return new URL(address, 'https://relative.invalid').searchParams.get(name)?.slice(0, VALUE_CHARS_MAX) ?? undefined;
  }
  return undefined;
}

const typed = (value: string): string | number => (/^\d{1,15}$/.test(value) ? Number(value) : value);
