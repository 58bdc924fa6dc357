import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run console` builds. */
const SITE = fileURLToPath(new URL('../../../console/site/', import.meta.url));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** In the order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file of the console with its compressed forms. */
export interface ConsoleAsset {
  content_type: string;
  bytes: Buffer;
  /** Compressed forms by the name of their encoding. */
  encoded: ReadonlyMap<string, Buffer>;
}

/** The built console in memory: names that are not in it do not exist, so no path leaves the folder. */
export class ConsoleSite {
  private constructor(
    /** The page of every path of the console; undefined if the console has not been built. */
    readonly page: string | undefined,
    private readonly assets: ReadonlyMap<string, ConsoleAsset>,
  ) {}

  /** Reads the whole site, about 1 MB. Without a build it is empty. */
  static read(folder: string = SITE): ConsoleSite {
    try {
      const page = readFileSync(path.join(folder, 'index.html'), 'utf8');
      return new ConsoleSite(page, assetsIn(path.join(folder, 'assets')));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
      return new ConsoleSite(undefined, new Map());
    }
  }

  asset(name: string): ConsoleAsset | undefined {
    return this.assets.get(name);
  }
}

function assetsIn(folder: string): Map<string, ConsoleAsset> {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]));
  const assets = new Map<string, ConsoleAsset>();
  for (const [name, bytes] of files) {
    const content_type = CONTENT_TYPES[path.extname(name)];
    if (content_type === undefined) continue;
    const encoded = ENCODINGS.flatMap(([encoding, suffix]) => {
      const form = files.get(`${name}${suffix}`);
      return form ? [[encoding, form] as const] : [];
    });
    assets.set(name, { content_type, bytes, encoded: new Map(encoded) });
  }
  return assets;
}

/** The form of an asset that a client accepts (`Accept-Encoding`), the smallest first; without `encoding` the plain bytes. */
export function acceptedForm({ bytes, encoded }: ConsoleAsset, accept: string | undefined): { encoding?: string; bytes: Buffer } {
  const accepted = acceptedEncodings(accept);
  for (const [encoding] of ENCODINGS) {
    const form = encoded.get(encoding);
    if (form && accepted.has(encoding)) return { encoding, bytes: form };
  }
  return { bytes };
}

/** Names of the header with a weight above 0. */
function acceptedEncodings(accept = ''): Set<string> {
  const names = accept.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((text) => /^q=0(\.0{0,3})?$/.test(text)) ? [] : [name];
  });
  return new Set(names);
}
