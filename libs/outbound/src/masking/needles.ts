const CORE_MIN = 6;

function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const strict = encoded.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [encoded, strict, encoded.replaceAll('%20', '+')];
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

const jsonForm = (text: string): string => JSON.stringify(text).slice(1, -1);
const asciiJsonForm = (text: string): string =>
  jsonForm(text).replace(/[\u007f-\uffff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The substrings of every base64 text that encodes these bytes after 0, 1 or 2 other bytes: the part that does not depend on neighbours.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = before === 0 ? 0 : before + 1;
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(from, whole);
  });
}

const url64 = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The complete encodings of a value: plain, base64, base64url, hexadecimal, percent-encoded. */
export function wholeForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64');
  const hex = bytes.toString('hex');
  return [...new Set([value, base64.replace(/=+$/, ''), url64(base64), hex, hex.toUpperCase(), encodeURIComponent(value)])];
}

/** Every text that reveals a value inside another text; longest first. */
export function needlesOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const cores = base64Cores(bytes).filter((core) => core.length >= CORE_MIN);
  const hex = bytes.toString('hex');
  const utf16 = Buffer.from(value, 'utf16le');
  const forms = [
    value,
    jsonForm(value),
    jsonForm(jsonForm(value)),
    asciiJsonForm(value),
    ...urlForms(value),
    ...urlForms(bytes.toString('base64')),
    bytes.toString('base64'),
    ...cores,
    ...cores.map(url64),
    hex,
    hex.toUpperCase(),
    utf16.toString('hex'),
    utf16.toString('base64'),
  ];
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
