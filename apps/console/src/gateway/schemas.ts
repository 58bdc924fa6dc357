import type { components } from '@countersign/client/generated/api';

/** What the API answers, by name: `Schemas['Envelope']`. */
export type Schemas = components['schemas'];
