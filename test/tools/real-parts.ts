/** The address of a real part that `npm run test:real` starts. @throws if it is missing: these tests are never skipped. */
export function realPart(variable: string): string {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} not set: run npm run test:real, which starts the real parts`);
  return address;
}

export const realDatabase = (): string => realPart('COUNTERSIGN_TEST_DATABASE_URL');
/** `host:port` */
export const realSmtp = (): string => realPart('COUNTERSIGN_TEST_SMTP');
export const realPop3 = (): string => realPart('COUNTERSIGN_TEST_POP3');
