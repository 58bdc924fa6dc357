import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce } from '../fake-system.js';

/** Orders to this place get no answer: whether the courier comes is unknown, and nothing can be asked. */
export const NO_ANSWER = 'Far Island';

/** Orders a courier in a fake logistics system that sometimes does not answer. */
export const orderCourier = defineTool({
  name: 'demo_order_courier',
  version: '1.0.0',
  title: 'Order a courier (demo)',
  description: `Orders a courier in the fake logistics system of the demo. For ${NO_ANSWER} its answer gets lost, so that the call is in doubt.`,
  summary: 'Send a courier with {/parcels} parcels to {/address}',
  category: 'demo',
  effect_class: 'commit_low',
  reversibility: 'side_effects',
  idempotency: { discriminating: ['address', 'parcels', 'reference'] },
  resources: [{ name: 'shipment:{/reference}', effect: 'adds' }],
  input: z.strictObject({ address: z.string().min(1).max(200), parcels: z.int().min(1).max(100), reference: z.string().min(1).max(50) }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: async ({ address }, ctx) => {
    const receipt = await bookOnce(ctx, 'logistics', 'courier');
    if (address.includes(NO_ANSWER))
      throw new ToolError('NETWORK_ERROR', 'the connection to the logistics system was lost after the order was sent', {
        effect: 'unknown',
      });
    return receipt;
  },
});
