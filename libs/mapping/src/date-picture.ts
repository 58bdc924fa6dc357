const TEXT_CHARS_MAX = 100;
const PICTURE_CHARS_MAX = 100;
const MARKER = /\[([^[\]]*)\]/g;
/** A component with its presentation (digits, a name) and widths. Words and Roman numerals are not supported. */
const NUMBER = /^[YMDdFWwXxHhmsf]([0#]*[01]o?)?(?:,\d+(?:-\d+)?)?$/;
const NAME = /^[MFPx](?:N|n|Nn)$|^P$/;
const ZONE = /^[Zz](?:01:01|0101|01|0)?t?$/;

/**
 * Why `$toMillis` refuses a text and a picture; undefined if it accepts them. JSONata compiles the picture to a regular expression for V8.
 * A part without a fixed width must be followed by something that it cannot contain; otherwise the parts could divide a text in
 * exponentially many ways.
 */
export function pictureFault(text: string, picture: string): string | undefined {
  if (text.length > TEXT_CHARS_MAX) return `a date has at most ${TEXT_CHARS_MAX} characters, this one has ${text.length}`;
  if (picture.length > PICTURE_CHARS_MAX) return `a picture has at most ${PICTURE_CHARS_MAX} characters, this one has ${picture.length}`;
  for (const { 0: marker, 1: inside = '', index } of picture.matchAll(MARKER)) {
    const part = inside.replace(/\s+/g, '');
    const contains = containsOf(part);
    if (!contains) return `the picture has ${marker}; only numbers such as [Y0001], names such as [MNn] and [Z] are read`;
    const next = picture.slice(index + marker.length);
    if (next !== '' && contains.test(next)) return `${marker} is followed by ${next.slice(0, 8)}: put a mark such as - or / between them`;
  }
  return undefined;
}

/** A pattern for text that must not follow a part: whatever the part itself may contain. */
function containsOf(part: string): RegExp | undefined {
  if (/^[YMDdFWwXxHhmsf]0*1$/.test(part) && part.length > 2) return /^\d/;
  if (ZONE.test(part)) return /^[-+\d:[]/;
  if (NAME.test(part)) return /^[a-z[]/i;
  return NUMBER.test(part) ? /^(?:\d|\[(?![Zz]))/ : undefined;
}
