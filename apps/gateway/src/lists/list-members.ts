import type { PickedMembers } from '@countersign/calls';
import { z } from 'zod';
import { commaList } from './page-query.js';

const ALL = '*';

export interface MembersQuery {
  fields?: readonly string[] | undefined;
  expand?: readonly string[] | undefined;
}

/**
 * Selects the members of list items: a summary by default; `expand` adds members, or all; `fields` returns exactly the named ones.
 * `summary`: name → whole, or its members in a summary.
 */
export class ListMembers {
  readonly query: { fields: z.ZodOptional<z.ZodType<string[], string>>; expand: z.ZodOptional<z.ZodType<string[], string>> };
  private readonly names: readonly string[];

  constructor(
    item: z.ZodObject,
    private readonly summary: Readonly<Record<string, true | readonly string[]>>,
  ) {
    this.names = Object.keys(item.shape);
    const others = this.names.filter((name) => summary[name] !== true);
    this.query = {
      fields: commaList(z.enum(this.names)).optional().describe('comma-separated: return only these members of each item'),
      expand: commaList(z.enum([ALL, ...this.names]))
        .optional()
        .describe(
          `comma-separated: members to return in addition to the summary; \`*\`: all. Left out or shortened in a summary: ${others.join(', ')}`,
        ),
    };
  }

  /** The selected members; undefined: every member. */
  picked({ fields, expand = [] }: MembersQuery): PickedMembers | undefined {
    if (expand.includes(ALL)) return undefined;
    const picked = new Map<string, true | readonly string[]>(fields?.map((name) => [name, true]) ?? Object.entries(this.summary));
    for (const name of expand) picked.set(name, true);
    return picked;
  }
}
