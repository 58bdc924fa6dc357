import type { ContractTestOptions } from '@countersign/tool-kit/eval-pack';

export const convertAmountEval: ContractTestOptions = {
  golden: [
    {
      title: 'marks to euros, to the cent',
      input: { value: '100', from: 'DEM', to: 'EUR', source: 'euro-fixed', digits: 2 },
      output: { value: '51.13', unit: 'EUR', exact: false, source: { pin: 'euro-fixed' } },
    },
    { title: 'across the base', input: { value: '1', from: 'BGN', to: 'DEM', source: 'euro-fixed' }, output: { value: '1', exact: true } },
    {
      title: 'a length, exactly',
      input: { value: '26.21875', from: 'mi', to: 'km', source: 'length-1959' },
      output: { value: '42.194988', exact: true },
    },
    {
      title: 'more digits than a double has',
      input: { value: '123456789012345678.000000000000000001', from: 'kg', to: 'g', source: 'mass-1959' },
      output: { value: '123456789012345678000.000000000000001', exact: true },
    },
  ],
  counterpart: { snapshot: async () => 'a pure tool has no world' },
};
