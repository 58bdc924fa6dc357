import { COSIGNATURE_V1, cosign, noteSigner, parseNote, type ServedEntries, signCheckpoint } from '@countersign/proofs';

/** What a forger between a log and a verifier makes of one answer. */
export type Forge = (body: Buffer) => Buffer;

const other = noteSigner('other.example', Buffer.alloc(32, 3));
const HASH_BYTES = 32;

const text =
  (edit: (note: string) => string): Forge =>
  (body) =>
    Buffer.from(edit(body.toString()));
const json =
  <T>(edit: (answer: T) => void): Forge =>
  (body) => {
    const answer = JSON.parse(body.toString()) as T;
    edit(answer);
    return Buffer.from(JSON.stringify(answer));
  };
const entries = (edit: (page: ServedEntries) => void) => json<ServedEntries>(edit);
const flipped = (hash: string): string => `${hash.startsWith('A') ? 'B' : 'A'}${hash.slice(1)}`;

interface Move {
  entry: ServedEntries['entries'][number];
  at: number;
}

/** The first move of a page that shows a proof. */
function provenMove({ entries }: ServedEntries): Move {
  for (const entry of entries) {
    const at = entry.moved.findIndex(([, , , , path]) => path.length > 0);
    if (at >= 0) return { entry, at };
  }
  throw new Error('no tree of this page grew');
}
const lastOf = ({ entries }: ServedEntries) => entries.at(-1) as ServedEntries['entries'][number];
const signedBy = (name: string) => noteSigner(name, Buffer.alloc(32, 3));
const originOf = (note: string) => note.split('\n')[0] as string;

function bytes(edit: (hashes: Buffer) => Buffer): Forge {
  return (body) => edit(Buffer.from(body));
}

/** Forgeries of what a log serves, without its key: the start of the path of the answer, and what becomes of it. */
export const forgeries: Record<string, [path: string, forge: Forge]> = {
  'another root in the checkpoint': ['checkpoint', text((note) => note.replace(/(?<=\n\d+\n)./, (first) => (first === 'A' ? 'B' : 'A')))],
  'another size in the checkpoint': ['checkpoint', text((note) => note.replace(/(?<=\n)\d+(?=\n)/, (size) => String(Number(size) - 1)))],
  'a checkpoint of another key with the name of the log': [
    'checkpoint',
    text((note) => signCheckpoint({ size: Number(note.split('\n')[1]), root: Buffer.alloc(32, 1) }, signedBy(originOf(note)))),
  ],
  'a checkpoint of another log': ['checkpoint', text(() => signCheckpoint({ size: 1, root: Buffer.alloc(32, 1) }, other))],
  'a checkpoint without its cosignature': ['checkpoint', text((note) => note.replace(/— witness\.example .+\n/u, ''))],
  'a cosignature with another time': [
    'checkpoint',
    text((note) =>
      note.replace(/(?<=— witness\.example )\S+/u, (line) => {
        const raw = Buffer.from(line, 'base64');
        raw.writeUInt8((raw[11] as number) ^ 1, 11);
        return raw.toString('base64');
      }),
    ),
  ],
  'a cosignature of another key with the name of the witness': [
    'checkpoint',
    text((note) => {
      const forger = noteSigner('witness.example', Buffer.alloc(32, 3), COSIGNATURE_V1);
      return note.replace(/— witness\.example .+\n/u, '') + cosign(parseNote(note)?.text as string, 1_790_000_000, forger);
    }),
  ],
  'an entry left out': ['entries', entries((page) => page.entries.splice(Math.floor(page.entries.length / 2), 1))],
  'the last entry left out': ['entries', entries((page) => page.entries.pop())],
  'two entries exchanged': ['entries', entries((page) => page.entries.reverse())],
  'another time of an entry': ['entries', entries((page) => lastOf(page).time_ms++)],
  'a tree left out of an entry': ['entries', entries((page) => lastOf(page).moved.pop())],
  'another root of a tree': [
    'entries',
    entries((page) => {
      const { entry, at } = provenMove(page);
      const move = entry.moved[at] as unknown[];
      move[3] = flipped(move[3] as string);
    }),
  ],
  'another size of a tree': [
    'entries',
    entries((page) => {
      const { entry, at } = provenMove(page);
      (entry.moved[at] as unknown[])[2] = 1_000_000;
    }),
  ],
  'another consistency proof of a tree': [
    'entries',
    entries((page) => {
      const { entry, at } = provenMove(page);
      const [, , , , path] = entry.moved[at] as ServedEntries['entries'][number]['moved'][number];
      path[0] = flipped(path[0] as string);
    }),
  ],
  'no consistency proof of a tree': [
    'entries',
    entries((page) => {
      const { entry, at } = provenMove(page);
      (entry.moved[at] as unknown[])[4] = [];
    }),
  ],
  'another head in the list of heads': [
    'heads',
    json<{ heads: unknown[][] }>(({ heads }) => {
      const [head] = heads as [unknown[]];
      head[3] = flipped(head[3] as string);
    }),
  ],
  'a head left out': ['heads', json<{ heads: unknown[][] }>(({ heads }) => heads.pop())],
  'another hash in a tile of entries': [
    'tile/checkpoints/0/',
    bytes((hashes) => Buffer.concat([Buffer.alloc(1, (hashes[0] as number) ^ 1), hashes.subarray(1)])),
  ],
  'another hash in a tile of a tree': [
    'tile/configuration-changed/0/0/',
    bytes((hashes) => Buffer.concat([hashes.subarray(0, -1), Buffer.alloc(1, (hashes.at(-1) as number) ^ 1)])),
  ],
  'two hashes of a tile exchanged': [
    'tile/configuration-changed/0/0/',
    bytes((hashes) =>
      Buffer.concat([hashes.subarray(HASH_BYTES, 2 * HASH_BYTES), hashes.subarray(0, HASH_BYTES), hashes.subarray(2 * HASH_BYTES)]),
    ),
  ],
  'a tile that breaks off': ['tile/configuration-changed/0/0/', bytes((hashes) => hashes.subarray(0, -HASH_BYTES))],
  'a page that is not JSON': ['entries', text(() => '<html>')],
};
