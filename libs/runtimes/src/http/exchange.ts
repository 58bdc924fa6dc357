import { AddressRules, type OutboundAnswer, OutboundDoor, type OutboundFault, Proxies } from '@countersign/outbound';
import { ToolError } from '@countersign/tool-kit';

/** The request. Redirects are followed only for requests without effect. */
export interface Sent {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  redirects_max: number;
  bytes_max: number;
}

/** Hosts on private networks that the operator allows for tools: `host` or `host:port`, comma-separated. */
function listedHosts(setting: string | undefined): ReadonlySet<string> {
  return new Set(
    (setting ?? '')
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  );
}

/** The outbound requests of tools, with the operator's settings. */
export function toolDoor(settings: Readonly<Record<string, string | undefined>>): OutboundDoor {
  const rules = AddressRules.forTools(listedHosts(settings.COUNTERSIGN_HTTP_ALLOW));
  return new OutboundDoor(rules, Proxies.of(settings.COUNTERSIGN_OUTBOUND_PROXY, settings));
}

/** One exchange, including its redirects. @throws ToolError */
export async function exchange({ bytes_max, ...sent }: Sent, door: OutboundDoor, signal: AbortSignal): Promise<OutboundAnswer> {
  const answer = await door.exchange({ ...sent, answer: { bytes_max, when_larger: 'cut' }, signal });
  if (answer.kind === 'failed') throw toolErrorOfFault(answer);
  return answer;
}

const FOR_GOOD = /^(ENOTFOUND|CERT_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS)/;

export function toolErrorOfFault({ reason, message, code, unsent }: OutboundFault): ToolError {
  switch (reason) {
    case 'not_a_url':
      return new ToolError('VALIDATION_ERROR', 'the address is not a URL', { effect: 'none' });
    case 'scheme':
    case 'credentials':
    case 'address':
      return new ToolError('POLICY_DENIED', message, { effect: 'none', details: { reason: 'address' } });
    case 'downgrade':
      return new ToolError('POLICY_DENIED', message, { effect: 'none' });
    case 'redirect':
      return new ToolError('PROVIDER_ERROR', message, { effect: 'none', retryable: false });
    case 'timeout':
      return new ToolError('TIMEOUT', message, { retryable: false });
    case 'too_large':
      return new ToolError('PROVIDER_ERROR', message, { retryable: false });
    case 'network':
      return new ToolError('NETWORK_ERROR', `the request could not be sent: ${message}`, {
        ...(unsent ? { effect: 'none' as const } : {}),
        retryable: !(code && FOR_GOOD.test(code)),
        details: { code },
      });
  }
}
