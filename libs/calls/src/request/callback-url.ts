import { isIP } from 'node:net';
import { hostFault } from '@countersign/process';

const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)\.?$/i;

/** Why nothing may be sent to this URL, or undefined. Names are resolved and checked again when it is called. */
export function callbackFault(text: string, allowPrivate: boolean): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is not a URL';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https are called';
  if (url.username !== '' || url.password !== '') return 'credentials in a URL are not taken';
  const fault = hostFault(url.hostname, allowPrivate);
  if (fault !== undefined || allowPrivate) return fault;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return undefined;
  return LOCAL_NAME.test(host) || !host.includes('.') ? 'names of the local network are not called' : undefined;
}
