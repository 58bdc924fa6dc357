const CENTS = 100n;

/** A decimal with two digits, `12.50`, in hundredths. */
export function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

export function amountOf(cents: bigint): string {
  return `${cents / CENTS}.${String(cents % CENTS).padStart(2, '0')}`;
}

/** The exact total of lines. */
export function totalOf(lines: readonly { quantity: number; unit_price: string }[]): string {
  return amountOf(lines.reduce((sum, { quantity, unit_price }) => sum + BigInt(quantity) * centsOf(unit_price), 0n));
}
