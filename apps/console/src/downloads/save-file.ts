/** Names a file after a kind and an id: only letters, digits, dots and dashes, so that no id can name another place. */
export const fileNameOf = (kind: string, id: string, extension: string): string =>
  `${kind}-${id
    .replace(/[^A-Za-z0-9.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 100)}.${extension}`;

/** Offers bytes as a file. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
