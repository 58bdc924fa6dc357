/**
 * Number of random histories in specs named `.sized.spec`: few in `npm test`, many in `npm run test:slow`, which sets the variable and runs
 * these specs again.
 */
export function histories(few: number, many: number): number {
  return process.env.COUNTERSIGN_TEST_SLOW === undefined ? few : many;
}
