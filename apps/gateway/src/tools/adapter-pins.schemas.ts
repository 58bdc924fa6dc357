import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const version = z.string().min(1).max(100).nullable().default(null);

export const adapterPinRequest = z.strictObject({ adapter_version: version, protocol_version: version });

const adapterPin = z
  .object({
    environment: z.string(),
    adapter: z.string(),
    adapter_version: z.string().nullable().describe('null: any'),
    protocol_version: z.string().nullable().describe('null: any'),
    changed_at: timeOf,
  })
  .meta({ id: 'AdapterPin' });

export const adapterPinPage = pageOfItems(adapterPin.extend({ etag: z.string() }).meta({ id: 'AdapterPinInForce' })).meta({
  id: 'AdapterPinPage',
});
export const changedAdapterPin = adapterPin.extend(everywhere).meta({ id: 'ChangedAdapterPin' });

export type AdapterPinRequest = z.infer<typeof adapterPinRequest>;
export type AdapterPinAnswer = z.infer<typeof adapterPin>;
export type ChangedAdapterPin = z.infer<typeof changedAdapterPin>;
