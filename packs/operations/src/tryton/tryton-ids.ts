/** Ids of Tryton are numbers; another id names nothing. */
export const numberOf = (id: unknown): number => (/^\d{1,9}$/.test(String(id)) ? Number(id) : -1);

/** The page of a record in Tryton's web client. */
export const pageOf = (url: URL, model: string, id: unknown): string =>
  `${url.origin}/#${url.pathname.replaceAll('/', '')}/model/${model}/${String(id)}`;

/** A text that matches itself alone in `like` and `ilike`. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
