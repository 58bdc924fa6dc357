type Environment = Readonly<Record<string, string | undefined>>;

/** The value of `COUNTERSIGN_OUTBOUND_PROXY` that enables the proxy variables which other programs read. */
const FROM_ENVIRONMENT = 'environment';

/** Variables that select the proxy; all but the first count only if the first is `environment`. */
export const PROXY_VARIABLES = [
  'COUNTERSIGN_OUTBOUND_PROXY',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
] as const;

function asProxy(text: string | undefined): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

/** Lower case has precedence over upper case, as in curl. */
const settingOf = (name: string, environment: Environment): string | undefined =>
  environment[name.toLowerCase()] || environment[name] || undefined;

/** The operator's proxies from `COUNTERSIGN_OUTBOUND_PROXY`, or one line with the fault of the setting. */
export function proxySettings(environment: Environment): { proxies: Proxies } | { fault: string } {
  const { COUNTERSIGN_OUTBOUND_PROXY: setting } = environment;
  const fault = settingFault(setting, environment);
  return fault === undefined ? { proxies: Proxies.of(setting, environment) } : { fault: `COUNTERSIGN_OUTBOUND_PROXY: ${fault}` };
}

function settingFault(setting: string | undefined, environment: Environment): string | undefined {
  if (!setting) return undefined;
  if (setting !== FROM_ENVIRONMENT) return asProxy(setting) ? undefined : `must be an http or https URL, or ${FROM_ENVIRONMENT}`;
  const wrong = ['HTTPS_PROXY', 'HTTP_PROXY'].find((name) => settingOf(name, environment) && !asProxy(settingOf(name, environment)));
  return wrong === undefined ? undefined : `${wrong} is not an http or https URL`;
}

/** Selects the proxy of a request to a public address. */
export class Proxies {
  private constructor(
    private readonly https: URL | undefined,
    private readonly http: URL | undefined,
    private readonly direct: readonly string[],
  ) {}

  /** The proxies of a valid setting. Unset: no proxy, whatever else the environment contains. */
  static of(setting: string | undefined, environment: Environment): Proxies {
    if (setting !== FROM_ENVIRONMENT) return new Proxies(asProxy(setting), asProxy(setting), []);
    const [https, http] = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => asProxy(settingOf(name, environment)));
    const direct = (settingOf('NO_PROXY', environment) ?? '').toLowerCase().split(/[\s,]+/);
    return new Proxies(
      https,
      http,
      direct.filter((entry) => entry !== ''),
    );
  }

  /** Undefined: the request goes directly. */
  proxyFor(url: URL): URL | undefined {
    const proxy = url.protocol === 'https:' ? this.https : this.http;
    return proxy && !this.direct.some((entry) => matches(entry, url)) ? proxy : undefined;
  }
}

/** `*`, `host`, `.domain` or `*.domain`, each with or without a port; a host also matches its subdomains. */
function matches(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, '')) ?? [];
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const name = url.hostname.replace(/\.+$/, '');
  return name === host || name.endsWith(`.${host}`);
}
