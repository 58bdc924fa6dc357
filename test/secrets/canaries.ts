export const HOWS = ['return', 'throw', 'refuse', 'print', 'log', 'progress', 'attach', 'split', 'keys', 'bytes', 'large'];
export const ENCODINGS = ['plain', 'base64', 'url', 'json', 'hex'];

/** 25 secrets of very different letters. */
export const canaries = Array.from({ length: 25 }, (_, n) => {
  const core = Buffer.from(Array.from({ length: 18 }, (_each, at) => ((n * 7 + 11) * (at * at + 3)) % 251));
  return [`cAnArY${n}-${core.toString('base64url')}`, `pa "ss" é&%${n} ${core.toString('hex').slice(0, 20)}`][n % 2] as string;
});

/** The secrets that are readable in a text: searched with code that the platform does not use for masking. */
export function leaks(where: string, text: string): string[] {
  return canaries.flatMap((value, n) => {
    const bytes = Buffer.from(value);
    const forms = [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString('hex'),
      bytes.toString('base64').slice(0, -4),
    ];
    const halves = [value.slice(0, value.length / 2), value.slice(value.length / 2)].map((half) => JSON.stringify(half).slice(1, -1));
    const numbers = [...bytes].join(',');
    return [...forms, ...halves, numbers].filter((form) => text.includes(form)).map((form) => `${where}: canary ${n} as ${form}`);
  });
}
