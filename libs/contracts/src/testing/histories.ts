/**
 * How many random histories a spec named `.sized.spec` tries: few in `npm test`, many in `npm run test:slow`, which sets the variable
 * and runs these specs a second time.
 */
export function histories(few: number, many: number): number {
  return process.env.COUNTERSIGN_TEST_SLOW === undefined ? few : many;
}
