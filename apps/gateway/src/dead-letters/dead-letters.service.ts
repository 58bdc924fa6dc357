import { DEFAULT_TENANT } from '@countersign/contracts';
import { cursorText } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../lists/page-query.js';
import { type DeadLetter, DeadLetterView } from './dead-letter-view.js';
import type { DeadLetterAnswer } from './dead-letters.schemas.js';

/** The tenant of records that could not be decoded: only the installation's operators see them. */
const UNKNOWN_TENANT = '';

const cursorOf = ({ letter_offset }: DeadLetter): string => cursorText({ at: letter_offset, id: 'letter' });

function answerOf({ letter_offset: _letter_offset, tenant_id: _tenant_id, dead_lettered_at_ms, ...letter }: DeadLetter): DeadLetterAnswer {
  return { ...letter, dead_lettered_at: new Date(dead_lettered_at_ms).toISOString() };
}

/** Dead letters of one tenant. */
@Injectable()
export class DeadLettersService {
  constructor(private readonly view: DeadLetterView) {}

  async list(tenant_id: string, { limit, cursor }: PageQuery): Promise<Page<DeadLetterAnswer>> {
    const unknown = tenant_id === DEFAULT_TENANT ? await this.view.of(UNKNOWN_TENANT) : [];
    const known = [...(await this.view.of(tenant_id)), ...unknown].sort((one, other) => other.letter_offset - one.letter_offset);
    const rest = cursor ? known.filter(({ letter_offset }) => letter_offset < cursor.at) : known;
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return { items: items.map(answerOf), next_cursor: last && rest.length > limit ? cursorOf(last) : null };
  }
}
