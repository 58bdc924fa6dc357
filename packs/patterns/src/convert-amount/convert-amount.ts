import { defineConversion } from '@countersign/tool-kit/patterns/conversion';
import { pinnedRates } from './pinned-rates.js';

/** Converts money or measures by rates that never change. */
export const convertAmount = defineConversion({
  name: 'convert_amount',
  version: '1.0.0',
  title: 'Convert an amount',
  description:
    'Converts a decimal between currencies or units by a pinned table of rates, exactly; the answer names the pin and its digest.',
  category: 'utility',
  capabilities: ['conversion', 'currency', 'units'],
  cache: { kind: 'forever' },
  sources: pinnedRates,
});
