import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';
import { scratchRecords } from '../scratch-records.js';

const register = {
  version: '7',
  complete_until: '2099-01-01T00:00:00Z',
  entries: [
    { id: 'HR', valid_from: '1994-05-30T00:00:00Z', valid_to: '2023-01-01T00:00:00Z', fields: { currency: 'HRK' } },
    { id: 'HR', valid_from: '2023-01-01T00:00:00Z', valid_to: null, fields: { currency: 'EUR' } },
  ],
};
const ask = { identifier: 'HR', source: 'tenant_countries' };

export const lookupRecordEval: ContractTestOptions = {
  golden: [
    { title: 'as it is', input: ask, output: { record: { fields: { currency: 'EUR' } }, source_version: '7', as_of: null } },
    {
      title: 'as it was',
      input: { ...ask, as_of: '2022-12-31T23:59:59+00:00' },
      output: { record: { fields: { currency: 'HRK' } }, as_of: '2022-12-31T23:59:59+00:00' },
    },
    {
      title: 'of a register that comes with the pack',
      input: { identifier: 'BG', source: 'countries', as_of: '2026-01-01T00:00:00Z' },
      output: { record: { fields: { currency: 'EUR' } } },
    },
  ],
  counterpart: scratchRecords({ 'registers/tenant_countries.json': register }),
};
