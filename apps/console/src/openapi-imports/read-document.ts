/** A document of a file, as the API takes it. */
export interface ReadDocument {
  name: string;
  bytes: number;
  body: { document: string } | { document_gzip: string };
}

/** As the gateway: a larger document is refused there. */
const BYTES_MAX = 16_000_000;
/** A longer text is sent as gzip: as JSON it would pass the bound of a request. */
const PLAIN_CHARACTERS_MAX = 200_000;
const GZIP_CHARACTERS_MAX = 1_000_000;
const CHUNK = 0x8000;

/** Reads a file of the person. @returns the document, or why it cannot be sent */
export async function readDocument(file: File): Promise<ReadDocument | { fault: string }> {
  const { name, size: bytes } = file;
  if (bytes > BYTES_MAX)
    return { fault: `The file has ${bytes.toLocaleString('en')} bytes; at most ${BYTES_MAX.toLocaleString('en')} are allowed.` };
  if (bytes === 0) return { fault: 'The file is empty.' };
  const text = await file.text();
  if (text.length <= PLAIN_CHARACTERS_MAX) return { name, bytes, body: { document: text } };
  const document_gzip = base64(await gzip(file));
  if (document_gzip.length > GZIP_CHARACTERS_MAX)
    return { fault: 'The file is too large to be sent, even compressed. Let the gateway fetch it by its address.' };
  return { name, bytes, body: { document_gzip } };
}

const gzip = async (file: File): Promise<Uint8Array> =>
  new Uint8Array(await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());

/** In pieces: a call has a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
