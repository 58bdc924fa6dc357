/** The monotonic clock that all processes of a machine share, ms. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;
