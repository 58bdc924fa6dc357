import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce, reverse } from '../fake-system.js';

const HOTELS = 'hotels';
/** The hotel that never has a room: a saga that books it compensates what it did before. */
export const SOLD_OUT = 'Grand Hotel';

/** Books a room in a fake hotel. */
export const bookHotel = defineTool({
  name: 'demo_book_hotel',
  version: '1.0.0',
  title: 'Book a hotel (demo)',
  description: `Books a room in the fake hotels of the demo. The ${SOLD_OUT} is always sold out, so that sagas have something to compensate.`,
  summary: 'Book {/nights} nights at {/hotel} for {/guest}',
  category: 'demo',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['hotel', 'nights', 'guest'] },
  resources: [{ name: 'room:{/hotel}/{/guest}', effect: 'adds' }],
  takes_key: true,
  input: z.strictObject({ hotel: z.string().min(1).max(100), nights: z.int().min(1).max(60), guest: z.string().min(1).max(100) }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: async ({ hotel }, ctx) => {
    if (hotel === SOLD_OUT) throw new ToolError('PROVIDER_ERROR', `the ${SOLD_OUT} is sold out`, { class: 'semantic', effect: 'none' });
    return bookOnce(ctx, HOTELS, 'room');
  },
  compensate: (effect, ctx) => reverse(effect, ctx, HOTELS),
});
