import type { RateTable } from '@countersign/tool-kit/patterns/conversion';

/** Rates by pin. The numbers of a pin never change: newer rates get their own pin. */
export const pinnedRates: Readonly<Record<string, RateTable>> = {
  /** Fixed by law (Regulation EC 2866/98 and its amendments): how many units of each currency one euro was. */
  'euro-fixed': {
    base: 'EUR',
    quoted: 'per_base',
    rates: {
      ATS: '13.7603',
      BEF: '40.3399',
      BGN: '1.95583',
      DEM: '1.95583',
      FRF: '6.55957',
      HRK: '7.53450',
      ITL: '1936.27',
      NLG: '2.20371',
    },
  },
  /** International yard and pound agreement of 1959, exact. */
  'length-1959': {
    base: 'm',
    quoted: 'worth',
    rates: { mm: '0.001', cm: '0.01', km: '1000', in: '0.0254', ft: '0.3048', yd: '0.9144', mi: '1609.344' },
  },
  'mass-1959': { base: 'kg', quoted: 'worth', rates: { g: '0.001', t: '1000', lb: '0.45359237', oz: '0.028349523125' } },
};
